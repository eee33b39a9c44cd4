import { createGraphiQLFetcher, type Fetcher } from "@graphiql/toolkit";
import { useEditorContext } from "@graphiql/react";
import { GraphiQL } from "graphiql";
import { parse, type DocumentNode } from "graphql";
import { createClient } from "graphql-ws";
import { useEffect, useMemo } from "react";
import { headersOf } from "../app/caller";
import { asBytes, socketAddress } from "../app/client";
import { useSession } from "../app/session";
import { useTheme } from "../app/theme";
import { useSpoken } from "../words";
import { examples } from "./examples";
import "graphiql/style.css";
import "./questions.css";

/** Any question at all, asked as who one is. */
export default function Questions() {
  const { caller } = useSession();
  const { language } = useSpoken();
  const [theme] = useTheme();
  const socket = useMemo(() => createClient({ url: socketAddress(), connectionParams: headersOf(caller, language), lazy: true }), [caller, language]);
  useEffect(() => () => void socket.dispose(), [socket]);
  const fetcher = useMemo((): Fetcher => {
    const send = createGraphiQLFetcher({ url: "/graphql", headers: asBytes(headersOf(caller, language)), wsClient: socket, enableIncrementalDelivery: false });
    // What GraphiQL knows of the document lags behind what is in the editor; whether it subscribes is in its text.
    return (params, options) => send(params, { ...options, documentAST: parseIfPossible(params.query) });
  }, [caller, language, socket]);
  const forced = theme === "auto" ? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") : theme;
  return (
    <div className="questions">
      <GraphiQL fetcher={fetcher} defaultQuery={examples()[0]?.query ?? ""} forcedTheme={forced} isHeadersEditorEnabled={false}>
        <GraphiQL.Logo>
          <Examples />
        </GraphiQL.Logo>
      </GraphiQL>
    </div>
  );
}

function parseIfPossible(query: string): DocumentNode | undefined {
  try {
    return parse(query);
  } catch {
    return undefined; // the gateway says what is wrong with it
  }
}

/** Stands where GraphiQL has its name: within its context, and on a phone, too. */
function Examples() {
  const { language, words } = useSpoken();
  const { queryEditor } = useEditorContext({ nonNull: true });
  const all = examples();
  return (
    <select className="input examples" disabled={!queryEditor} aria-label={words.questions.examples} value="" onChange={(e) => queryEditor?.setValue(all[Number(e.target.value)]?.query ?? "")}>
      <option value="">{words.questions.examples}</option>
      {all.map(({ title }, index) => (
        <option key={title.en} value={index}>
          {title[language]}
        </option>
      ))}
    </select>
  );
}
