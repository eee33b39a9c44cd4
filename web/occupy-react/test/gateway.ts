// A gateway as the client sees one: sockets and answers that a test gives by hand.
import { Clock } from "../src/clock.js";
import { OccupyClient, type Parts } from "../src/client.js";
import { Store } from "../src/store.js";
import type { TabSession } from "../src/session.js";
import type { Occupancy } from "../src/item.js";

interface Message {
  id?: string;
  type: string;
  payload?: unknown;
}

export type Subscribed = { id: string; variables: { input?: Record<string, unknown>; snapshot?: boolean; after?: string | null } };

export class FakeSocket {
  static CONNECTING = 0;
  static OPEN = 1;
  static CLOSING = 2;
  static CLOSED = 3;
  static all: FakeSocket[] = [];
  static refuse = false;
  readyState = 0;
  onopen: (() => void) | null = null;
  onclose: ((e: { code: number; reason: string }) => void) | null = null;
  onerror: ((e: unknown) => void) | null = null;
  onmessage: ((e: { data: string }) => void) | null = null;
  readonly subscribed: Subscribed[] = [];
  readonly completed: string[] = [];
  pings = 0;
  answersPings = true;

  constructor() {
    FakeSocket.all.push(this);
    queueMicrotask(() => {
      if (FakeSocket.refuse) return this.closed(1006);
      this.readyState = 1;
      this.onopen?.();
    });
  }

  send(text: string): void {
    const m = JSON.parse(text) as Message;
    if (m.type === "connection_init") this.say({ type: "connection_ack" });
    if (m.type === "ping") {
      this.pings++;
      if (this.answersPings) this.say({ type: "pong" });
    }
    if (m.type === "subscribe") this.subscribed.push({ id: m.id ?? "", variables: (m.payload as Subscribed).variables });
    if (m.type === "complete") this.completed.push(m.id ?? "");
  }

  close(code = 1000, reason = ""): void {
    this.closed(code, reason);
  }

  closed(code: number, reason = ""): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  say(m: Message): void {
    queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(m) }));
  }

  next(data: object, at = this.subscribed.length - 1): void {
    this.say({ type: "next", id: this.subscribed[at]?.id, payload: { data } });
  }

  error(code: string, at = this.subscribed.length - 1): void {
    this.say({ type: "error", id: this.subscribed[at]?.id, payload: [{ message: code, extensions: { code } }] });
  }

  static reset(): void {
    FakeSocket.all = [];
    FakeSocket.refuse = false;
  }

  static get last(): FakeSocket {
    const socket = FakeSocket.all.at(-1);
    if (!socket) throw new Error("nobody has connected");
    return socket;
  }
}

/** What the gateway was asked over HTTP, and what it answers. */
export interface Asked {
  field: string;
  input: Record<string, unknown>;
  keepalive: boolean;
}

export class Gateway {
  readonly asked: Asked[] = [];
  answer: (asked: Asked) => unknown = () => undefined;
  now = 0;
  readonly session = new Store<string | undefined>("S1");
  readonly client: OccupyClient;

  constructor(transport: "socket" | "http" | "auto" = "socket") {
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      const { query, variables } = JSON.parse(String(init?.body)) as { query: string; variables: { input?: Record<string, unknown> } };
      const field = /\{\s*(\w+)/.exec(query)?.[1] ?? "";
      const asked = { field, input: variables.input ?? variables, keepalive: init?.keepalive ?? false };
      this.asked.push(asked);
      const data = this.answer(asked);
      if (data === undefined) throw new TypeError("network");
      return new Response(JSON.stringify({ data: { [field]: data } }));
    };
    const session = { current: this.session, close: () => undefined } as unknown as TabSession;
    const parts: Parts = { webSocket: FakeSocket, fetch: fetch as typeof globalThis.fetch, clock: new Clock(() => this.now), session, page: window };
    this.client = new OccupyClient({ url: "http://gateway/graphql", wsUrl: "ws://gateway/graphql", transport, parts });
  }
}

/** An item as the gateway tells it. */
export function row(over: Partial<Occupancy> = {}): Occupancy {
  return {
    id: "LOT/LOT1", itemType: "LOT", itemName: "LOT1", state: "OCCUPIED", userId: "kim", session: "S1",
    startTime: "2026-01-01T00:00:00Z", expireTime: "2026-01-01T00:05:00Z", remainingSeconds: 300, uiName: null, menuName: null,
    fencingToken: "1", version: "1", renewals: "0", ...over,
  };
}

export const at = "2026-01-01T00:00:00Z";

export const told = (kind: string, over: Partial<Occupancy> = {}, more: object = {}) => ({
  holdItem: { kind, event: null, fencingToken: over.fencingToken ?? "1", at, payload: null, occupancy: row(over), ...more },
});

export const changed = (cursor: string, over: Partial<Occupancy> = {}, kind = "CHANGED") => ({
  occupancyChanged: { kind, event: null, cursor, at, occupancy: row(over) },
});
