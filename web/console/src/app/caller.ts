import type { Role } from "../graph/graphql";
import { read, write } from "./kept";

/** How callers say who they are: the gateway writes it into the page. */
export type Auth = "dev" | "jwt";

/** Who asks: somebody who is believed, on a machine of one's own, or the bearer of a token. */
export type Caller = { userId: string; roles: Role[] } | { token: string };

export const allRoles: readonly Role[] = ["OPERATOR", "SUPERVISOR", "ANALYST", "SERVICE"];

export function authOfPage(page: Document = document): Auth {
  return page.documentElement.dataset.auth === "jwt" ? "jwt" : "dev";
}

const key = "occupy.caller";

// A token opens doors: it is kept for this window only. A name in dev opens none.
const storeOf = (auth: Auth): Storage => (auth === "jwt" ? sessionStorage : localStorage);

export function keptCaller(auth: Auth): Caller | undefined {
  return read(storeOf(auth), key, (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    if (auth === "jwt") return "token" in value && typeof value.token === "string" ? { token: value.token } : undefined;
    if (!("userId" in value) || typeof value.userId !== "string" || value.userId === "") return undefined;
    const sent: unknown[] = "roles" in value && Array.isArray(value.roles) ? value.roles : [];
    return { userId: value.userId, roles: allRoles.filter((role) => sent.includes(role)) };
  });
}

export function keepCaller(auth: Auth, caller: Caller | undefined): void {
  write(storeOf(auth), key, caller);
}

/** What a request, or connection_init, says of who asks and in which language. */
export function headersOf(caller: Caller, language: string): Record<string, string> {
  const spoken = { "Accept-Language": language };
  if ("token" in caller) return { ...spoken, Authorization: `Bearer ${caller.token}` };
  return { ...spoken, "X-User-Id": caller.userId, "X-Roles": caller.roles.join(",") };
}
