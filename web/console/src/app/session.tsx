import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { Provider, type CombinedError } from "urql";
import { graphql } from "../graph";
import type { Role } from "../graph/graphql";
import { useSpoken } from "../words";
import { authOfPage, keepCaller, keptCaller, type Caller } from "./caller";
import { newClient } from "./client";
import { SignIn } from "./sign-in";

const meQuery = graphql(`
  query Me {
    me {
      userId
      roles
    }
  }
`);

export type Session = { caller: Caller; userId: string; roles: readonly Role[]; may: (role: Role) => boolean; leave: () => void };

const Context = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("no SessionProvider");
  return session;
}

type Known = { userId: string; roles: readonly Role[] };

/** Lets in whom the gateway knows; asks all others who they are. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const { language, words } = useSpoken();
  const auth = authOfPage();
  const [caller, setCaller] = useState(() => keptCaller(auth));
  const [known, setKnown] = useState<Known>();
  const [error, setError] = useState<CombinedError>();
  const client = useMemo(() => caller && newClient(caller, language), [caller, language]);

  const change = useCallback(
    (next: Caller | undefined) => {
      keepCaller(auth, next);
      setKnown(undefined);
      setError(undefined);
      setCaller(next);
    },
    [auth],
  );
  useEffect(() => {
    if (!client || known) return;
    let gone = false;
    void client.query(meQuery, {}).then(({ data, error }) => {
      if (gone) return;
      setError(error);
      setKnown(data?.me);
    });
    return () => {
      gone = true;
    };
  }, [client, known]);

  const session = useMemo(
    () => caller && known && { caller, ...known, may: (role: Role) => known.roles.includes(role), leave: () => change(undefined) },
    [caller, known, change],
  );
  if (client && session)
    return (
      <Provider value={client}>
        <Context value={session}>{children}</Context>
      </Provider>
    );
  if (client && !error) return <p className="nothing">{words.signIn.checking}</p>;
  return <SignIn auth={auth} last={caller} error={error} onEnter={change} />;
}
