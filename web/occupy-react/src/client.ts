// The connection of one window: a socket for what lives, HTTP for what is asked. It holds no
// state of items; that is in Hold and Feed.
import { createClient, type Client as Socket, type CloseCode } from "graphql-ws";
import { Clock } from "./clock.js";
import { type Answer, dataOf, type Document, type Endpoint, follow, OccupyError, request, type RequestOptions, type ServiceError, unreachable } from "./http.js";
import { TabSession } from "./session.js";
import { Store } from "./store.js";

/** How the window is connected. `http` is for good: there are no sockets here. */
export type Connection = "connecting" | "connected" | "reconnecting" | "refused" | "http";

export interface ClientOptions {
  /** Of /graphql over HTTP; that of the page's own origin if absent. */
  url?: string;
  /** Of the socket; `url` with ws instead of http if absent. */
  wsUrl?: string;
  /** Sent with every request and at every connection, such as X-User-Id or Accept-Language. */
  headers?: Record<string, string> | (() => Record<string, string>);
  /** Gives a token that is good for now. It is asked for each request and connection. */
  token?: () => string | Promise<string>;
  /** How often a connection is sent a fresh token; 240 if absent. */
  tokenSeconds?: number;
  /** `auto` takes a socket, and goes over to HTTP if none can be had while HTTP answers. */
  transport?: "auto" | "socket" | "http";
  /** For tests. */
  parts?: Partial<Parts>;
}

/** What a client is made of, and tests replace. */
export interface Parts {
  webSocket: unknown;
  fetch: typeof fetch;
  clock: Clock;
  session: TabSession;
  page: Pick<Window, "addEventListener" | "removeEventListener">;
}

export interface Sink<Result> {
  /** A gateway is there, once more after each lost connection. */
  opened?: () => void;
  next: (data: Result) => void;
  /** The connection was lost; it comes back by itself. */
  lost?: () => void;
  /** It is over, and will not come back by itself. */
  failed: (error: OccupyError) => void;
  completed?: () => void;
}

/** This often may a first connection fail before HTTP is tried. */
const socketTries = 2;
const longestWait = 5_000;
const pingEvery = 10_000;
const pongWithin = 5_000;
const expired = "the token has expired";

export class OccupyClient {
  readonly connection = new Store<Connection>("connecting");
  readonly clock: Clock;
  readonly session: TabSession;
  readonly #endpoint: Endpoint;
  readonly #options: ClientOptions;
  readonly #page: Parts["page"];
  #socket: Socket | undefined;
  #open: WebSocket | undefined;
  #connections = 0; // how often one was made
  #failures = 0; // since the last one
  #hurry = new Set<() => void>();
  #pong: ReturnType<typeof setTimeout> | undefined;
  #fresh: ReturnType<typeof setInterval> | undefined;

  constructor(options: ClientOptions = {}) {
    const { parts = {}, url = "/graphql", headers, token } = options;
    this.#options = options;
    this.clock = parts.clock ?? new Clock();
    this.session = parts.session ?? new TabSession();
    this.#page = parts.page ?? window;
    const given = () => (typeof headers === "function" ? headers() : (headers ?? {}));
    this.#endpoint = {
      url,
      headers: async () => ({ ...given(), ...(token && { Authorization: `Bearer ${await token()}` }) }),
      fetch: parts.fetch ?? ((...arguments_) => fetch(...arguments_)),
    };
    for (const event of wakings) this.#page.addEventListener(event, this.nudge);
    if (options.transport === "http") this.connection.set("http");
    else this.#socket = this.#connect(parts.webSocket);
  }

  /** Asks once, over HTTP. Throws an OccupyError. */
  request<Result, Variables>(document: Document<Result, Variables>, variables: Variables, o?: RequestOptions): Promise<Result> {
    return request(this.#endpoint, document, variables, o);
  }

  /**
   * Follows a subscription, through lost connections and gateways that go. `variables` is read
   * anew at each connection. The function that is returned ends it.
   */
  subscribe<Result, Variables extends object>(document: Document<Result, Variables>, variables: Variables, sink: Sink<Result>): () => void {
    const ended = new AbortController();
    const loop = async () => {
      for (let failures = 0; !ended.signal.aborted; failures++) {
        const tell = (answer: Answer<Result>) => {
          failures = 0;
          sink.next(dataOf(answer));
        };
        try {
          if (this.#socket) await this.#overSocket(this.#socket, document, variables, tell, sink, ended.signal);
          else await follow(this.#endpoint, document, variables, ended.signal, () => sink.opened?.(), tell);
          if (!ended.signal.aborted) sink.completed?.();
          return;
        } catch (e) {
          const error = e instanceof OccupyError ? e : unreachable(e);
          if (ended.signal.aborted) return;
          if (!error.passes) return sink.failed(error);
          sink.lost?.();
        }
        await this.wait(failures);
      }
    };
    void loop();
    return () => ended.abort();
  }

  /** Something may have changed: the window is seen again, the network is back. Looks now, not later. */
  readonly nudge = (): void => {
    for (const go of [...this.#hurry]) go();
    if (this.#open?.readyState !== 1) return;
    this.#open.send(JSON.stringify({ type: "ping" }));
    this.#expectPong();
  };

  /** Waits before another try: longer each time, by chance, and not beyond a nudge. */
  wait(failures: number): Promise<void> {
    const most = Math.min(longestWait, 250 * 2 ** failures);
    return this.pause(most / 2 + (Math.random() * most) / 2);
  }

  /** Waits for so long, but not beyond a nudge, nor an end. */
  pause(milliseconds: number, ended?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        this.#hurry.delete(go);
        ended?.removeEventListener("abort", go);
        resolve();
      };
      const timer = setTimeout(go, milliseconds);
      this.#hurry.add(go);
      ended?.addEventListener("abort", go);
    });
  }

  /** Ends the connection without a word, as if it was lost: what is held keeps its grace. */
  drop(): void {
    this.#socket?.terminate();
  }

  dispose(): void {
    for (const event of wakings) this.#page.removeEventListener(event, this.nudge);
    void this.#socket?.dispose();
    this.session.close();
  }

  #connect(webSocketImpl: unknown): Socket {
    const { url = "/graphql", wsUrl } = this.#options;
    return createClient({
      url: wsUrl ?? new URL(url, location.href).href.replace(/^http/, "ws"),
      webSocketImpl,
      connectionParams: this.#endpoint.headers,
      lazyCloseTimeout: 3_000,
      keepAlive: pingEvery,
      retryAttempts: Infinity,
      retryWait: async () => {
        await this.wait(this.#failures++);
        if (await this.#hasNoSockets()) this.#goOverToHttp();
      },
      shouldRetry: (e) => this.#socket !== undefined && !isRefusal(e),
      on: {
        opened: (socket) => (this.#open = socket as WebSocket),
        connected: (socket) => this.#connected(socket as WebSocket),
        ping: (received) => received || this.#expectPong(),
        pong: (received) => received && clearTimeout(this.#pong),
        closed: (e) => this.#closed(e),
      },
    });
  }

  #connected(socket: WebSocket): void {
    this.#connections++;
    this.#failures = 0;
    this.connection.set("connected");
    const { token, tokenSeconds = 240 } = this.#options;
    if (!token) return;
    clearInterval(this.#fresh);
    this.#fresh = setInterval(async () => {
      const fresh = await token();
      if (socket.readyState === 1) socket.send(JSON.stringify({ type: "ping", payload: { token: fresh } }));
    }, tokenSeconds * 1000);
  }

  #closed(e: unknown): void {
    clearTimeout(this.#pong);
    clearInterval(this.#fresh);
    this.#open = undefined;
    if (!this.#socket || this.connection.get() === "http") return;
    const idle = isClose(e) && e.code === 1000; // the last subscription is over
    this.connection.set(isRefusal(e) ? "refused" : idle || !this.#connections ? "connecting" : "reconnecting");
  }

  #expectPong(): void {
    clearTimeout(this.#pong);
    this.#pong = setTimeout(() => this.#socket?.terminate(), pongWithin);
  }

  /** A proxy may let HTTP through and no socket. */
  async #hasNoSockets(): Promise<boolean> {
    if (this.#options.transport === "socket" || this.#connections || this.#failures < socketTries) return false;
    return this.request({ toString: () => "{ me { userId } }" }, {}).then(() => true, () => false);
  }

  #goOverToHttp(): void {
    this.#socket = undefined;
    this.connection.set("http");
  }

  #overSocket<Result, Variables extends object>(
    socket: Socket, document: Document<Result, Variables>, variables: Variables,
    tell: (answer: Answer<Result>) => void, sink: Sink<Result>, ended: AbortSignal,
  ): Promise<void> {
    let off: (() => void)[] = [];
    return new Promise<void>((resolve, reject) => {
      // The text of `variables` is made at each connection.
      const payload = { query: document.toString(), variables: variables as Record<string, unknown> };
      const end = socket.subscribe<Result>(payload, {
        next: (answer) => {
          try {
            tell(answer as Answer<Result>);
          } catch (e) {
            reject(e);
            end();
          }
        },
        error: (e) => reject(Array.isArray(e) ? new OccupyError(e as ServiceError[]) : closing(e)),
        complete: resolve,
      });
      if (this.connection.get() === "connected") sink.opened?.();
      off = [socket.on("connected", () => sink.opened?.()), socket.on("closed", () => sink.lost?.())];
      ended.addEventListener("abort", () => { end(); resolve(); });
    }).finally(() => off.forEach((stop) => stop()));
  }
}

/** What tells that the window may have slept, or been without a network. */
const wakings = ["online", "focus", "pageshow", "visibilitychange"] as const;

interface Close {
  code: CloseCode | number;
  reason: string;
}

function isClose(e: unknown): e is Close {
  return typeof e === "object" && e !== null && "code" in e && "reason" in e;
}

/** Whether the credentials were refused; with a fresh token it is worth another try. */
function isRefusal(e: unknown): e is Close {
  return isClose(e) && e.code === 4403 && e.reason !== expired;
}

/** Why a connection will not be tried again by itself. */
function closing(e: unknown): OccupyError {
  if (isRefusal(e)) return new OccupyError([{ message: e.reason, extensions: { code: "UNAUTHENTICATED" } }]);
  const broken = isClose(e) && e.code >= 4400 && e.code < 4500 && e.code !== 4403 && e.code !== 4408 && e.code !== 4499;
  return broken ? new OccupyError([{ message: `${e.code} ${e.reason}`, extensions: { code: "PROTOCOL" } }]) : unreachable(e);
}
