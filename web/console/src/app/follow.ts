import type { Client } from "graphql-ws";
import { print } from "graphql";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";

export type Following<Data, Variables> = {
  document: TypedDocumentNode<Data, Variables>;
  /** Asked anew at each try, so that it can go on where it was. */
  variables: () => Variables;
  hear: (data: Data) => void;
  /** The gateway said that it can not go on, by the code of its error; tells whether to try again at once. */
  failed: (code: string) => boolean;
  /** The connection is lost; it is tried again. */
  away: () => unknown;
  /** The credentials are refused, which is final. */
  refused: (reason: string) => void;
};

/** Follows a subscription until it completes or is ended, through any number of lost connections. */
export function follow<Data, Variables extends Record<string, unknown>>(client: Client, f: Following<Data, Variables>): () => void {
  const query = print(f.document);
  let ended = false;
  let current: AsyncIterableIterator<{ data?: Data | null; errors?: readonly unknown[] }> | undefined;
  const attempt = async (): Promise<boolean> => {
    try {
      current = client.iterate<Data>({ query, variables: f.variables() });
      for await (const { data, errors } of current) {
        if (errors) throw errors;
        if (data) f.hear(data);
      }
      return false;
    } catch (error) {
      if (error instanceof CloseEvent && error.code === 4403) {
        f.refused(error.reason);
        return false;
      }
      if (Array.isArray(error) && f.failed(codeOf(error[0]))) return true;
    }
    if (ended) return false;
    f.away();
    await new Promise((go) => setTimeout(go, 300 + Math.random() * 1500)); // not all screens of a floor at once
    return true;
  };
  void (async () => {
    while (!ended && (await attempt())) continue;
  })();
  return () => {
    ended = true;
    void current?.return?.();
  };
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("extensions" in error)) return "";
  const { extensions } = error;
  return typeof extensions === "object" && extensions !== null && "code" in extensions ? String(extensions.code) : "";
}
