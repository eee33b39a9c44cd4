import { Client, fetchExchange, type CombinedError } from "urql";
import { headersOf, type Caller } from "./caller";

/** The questions and commands of one caller in one language, to the gateway that served the page. */
export function newClient(caller: Caller, language: string): Client {
  return new Client({
    url: "/graphql",
    exchanges: [fetchExchange], // no cache: what was true a moment ago may send somebody to the wrong lot
    preferGetMethod: false,
    // One response each: urql would take streams, too, and a gateway that is offered one sends it.
    fetchOptions: () => ({ headers: { ...asBytes(headersOf(caller, language)), Accept: "application/graphql-response+json, application/json" } }),
  });
}

/** A browser takes one byte a character in a header: those of UTF-8, so that names may be Korean. */
export function asBytes(headers: Record<string, string>): Record<string, string> {
  const bytes = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]));
}

/** Where the gateway that served the page takes sockets. */
export const socketAddress = (): string => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/graphql`;

/** What to show of an error: the gateway's own words, which are in the caller's language where they are for people. */
export function problemOf(error: CombinedError): { message: string | undefined; code: string; requestId: string } {
  const first = error.graphQLErrors[0];
  const text = (name: string) => {
    const value = first?.extensions[name];
    return typeof value === "string" ? value : "";
  };
  return { message: first?.message, code: text("code"), requestId: text("requestId") };
}
