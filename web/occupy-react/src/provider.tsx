import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { type ClientOptions, OccupyClient } from "./client.js";

const Context = createContext<OccupyClient | null>(null);

export interface OccupyProviderProps extends ClientOptions {
  children?: ReactNode;
}

/**
 * Connects what is below it. `headers` may be another object at each rendering, and `token` another
 * function; with other headers it connects anew. Nothing is rendered before it has connected.
 */
export function OccupyProvider({ children, ...options }: OccupyProviderProps): ReactNode {
  const latest = useRef(options);
  latest.current = options;
  const { url, wsUrl, transport, tokenSeconds, headers, token } = options;
  const said = typeof headers === "function" ? "" : JSON.stringify(headers);
  const hasToken = token !== undefined;
  const [client, setClient] = useState<OccupyClient | null>(null);
  useEffect(() => {
    const made = new OccupyClient({
      url, wsUrl, transport, tokenSeconds, parts: latest.current.parts,
      headers: () => {
        const { headers: given } = latest.current;
        return typeof given === "function" ? given() : (given ?? {});
      },
      ...(hasToken && { token: () => latest.current.token?.() ?? "" }),
    });
    setClient(made);
    return () => {
      setClient(null);
      // After the holds of what is below have given back what they have.
      setTimeout(() => made.dispose(), 50);
    };
  }, [url, wsUrl, transport, tokenSeconds, said, hasToken]);
  return useMemo(() => client && <Context.Provider value={client}>{children}</Context.Provider>, [client, children]);
}

/** The connection, for questions and commands of your own: `client.request(document, variables)`. */
export function useOccupyClient(): OccupyClient {
  const client = useContext(Context);
  if (!client) throw new Error("there is no OccupyProvider above");
  return client;
}
