// One item that this window holds, or tries to. Over a socket the gateway keeps it for as long as
// the connection lives; over HTTP it is renewed from here.
import type { OccupyClient } from "./client.js";
import {
  type Event, type FreeHow, FreeDocument, HoldItemDocument, type HoldItemSubscription, type OccupyCode, OccupyDocument, type OccupyInput, RenewDocument,
} from "./graph/graphql.js";
import { answered, OccupyError, unreachable } from "./http.js";
import type { Item, Occupancy } from "./item.js";
import { Store } from "./store.js";

export interface OccupyOptions {
  /** The screen, as others are told. */
  uiName?: string;
  menuName?: string;
  /** How long it is held if nobody renews it; the service's default if absent. Over HTTP give 180 or more: timers of hidden tabs run once a minute. */
  ttlSeconds?: number;
  /** How long a lost connection may take to come back; 30 if absent. */
  graceSeconds?: number;
}

/** What becomes of an item that a window wants. Save only while it is `granted`. */
export type HoldView =
  | { state: "idle" }
  | { state: "asking" }
  | { state: "granted"; occupancy: Occupancy; fencingToken: string; message: string }
  /** The connection is lost. It is still yours if it comes back within the grace. */
  | { state: "reconnecting"; occupancy: Occupancy; fencingToken: string }
  /** `occupancy` is by whom and until when; `ownWindow`: your other window has it, and `takeOver` moves it here. */
  | { state: "denied"; code: OccupyCode; message: string; occupancy: Occupancy; ownWindow: boolean }
  /** `event` is why; null if its time ran out unseen. `occupancy` is who has it now, or had it last. */
  | { state: "lost"; event: Event | null; occupancy: Occupancy }
  | { state: "freed"; occupancy: Occupancy }
  /** Asking again as it is would not help, or not be allowed. */
  | { state: "failed"; error: OccupyError };

type Told = HoldItemSubscription["holdItem"];
type Answered = { ok: boolean; code: OccupyCode; message: string; occupancy: Occupancy };

const defaultGrace = 30;

export class Hold {
  readonly view = new Store<HoldView>({ state: "idle" });
  readonly #client: OccupyClient;
  readonly #item: Item;
  readonly #options: OccupyOptions;
  #end: (() => void) | undefined;
  #session: string | undefined;
  #token: string | undefined; // of the grant that the screen knows of
  #unwatch: (() => void) | undefined;

  constructor(client: OccupyClient, item: Item, options: OccupyOptions = {}) {
    this.#client = client;
    this.#item = item;
    this.#options = options;
  }

  /** Occupies the item. With `takeOver`, also from the user's other window. */
  start(takeOver = false): void {
    this.stop();
    this.#token = undefined;
    this.view.set({ state: "asking" });
    const { session, connection } = this.#client;
    const begin = () => {
      if (session.current.get() === this.#session && this.#end) return;
      if (this.#end) this.#client.drop(); // another tab has our session: it must not lose what it holds
      this.#end?.();
      this.#session = session.current.get();
      this.#end = this.#session === undefined ? undefined : connection.get() === "http" ? this.#keep(takeOver) : this.#follow(takeOver);
    };
    const unwatch = [session.current.watch(begin), connection.watch(() => {
      if (connection.get() !== "http" || !this.#end) return;
      this.#end(); // there are no sockets here after all
      this.#end = this.#keep(takeOver);
    })];
    this.#unwatch = () => unwatch.forEach((stop) => stop());
    begin();
  }

  /** Gives the item back: the window closes, or turns to something else. */
  stop(): void {
    this.#unwatch?.();
    this.#end?.();
    this.#end = this.#unwatch = undefined;
  }

  /** Gives the item back, and waits until it is. Throws an OccupyError if that could not be asked for. */
  async free(how: FreeHow = "OK"): Promise<void> {
    const held = this.view.get();
    if (held.state !== "granted" && held.state !== "reconnecting") return this.stop();
    const free = answered((await this.#client.request(FreeDocument, { input: { ...this.#item, session: this.#session, fencingToken: held.fencingToken, how } })).free);
    this.stop();
    this.view.set(free.ok ? { state: "freed", occupancy: free.occupancy } : { state: "lost", event: null, occupancy: free.occupancy });
  }

  get #input(): OccupyInput {
    const { uiName, menuName, ttlSeconds } = this.#options;
    return { ...this.#item, uiName, menuName, ttlSeconds, session: this.#session };
  }

  #follow(takeOver: boolean): () => void {
    // A connection that is made anew must not take the item from a window that took it meanwhile.
    const variables = { input: { ...this.#input, takeOver }, graceSeconds: this.#options.graceSeconds };
    return this.#client.subscribe(HoldItemDocument, variables, {
      next: ({ holdItem }) => {
        variables.input.takeOver = false;
        this.#hear(holdItem);
      },
      lost: () => this.#reconnecting(),
      failed: (error) => this.#fail(error),
      completed: () => undefined, // what came before said why
    });
  }

  #hear(e: Told): void {
    this.#client.clock.note(e.at);
    switch (e.kind) {
      case "OCCUPIED":
        this.#grant(e.occupancy, e.payload?.message ?? "");
        break;
      case "CHANGED": {
        const held = this.view.get();
        this.#grant(e.occupancy, held.state === "granted" ? held.message : "");
        break;
      }
      case "DENIED":
        this.#deny(e.payload?.code ?? "HELD", e.payload?.message ?? "", e.occupancy);
        break;
      case "LOST":
        this.#lose(e.occupancy, e.event);
    }
  }

  /**
   * The item is ours. If it is by another grant than the screen has built on, it was free in between,
   * and somebody may have worked on it: then it is given back, and the screen is told.
   */
  #grant(occupancy: Occupancy, message: string): void {
    if (this.#token !== undefined && this.#token !== occupancy.fencingToken) return this.#lose(occupancy, "EXPIRED");
    this.#token = occupancy.fencingToken;
    this.view.set({ state: "granted", occupancy, fencingToken: occupancy.fencingToken, message });
  }

  #deny(code: OccupyCode, message: string, occupancy: Occupancy): void {
    if (this.#token !== undefined) return this.#lose(occupancy, null);
    this.stop();
    this.view.set({ state: "denied", code, message, occupancy, ownWindow: code === "HELD_IN_OTHER_WINDOW" });
  }

  #lose(occupancy: Occupancy, event: Event | null): void {
    this.stop();
    this.view.set({ state: "lost", event, occupancy });
  }

  #fail(error: OccupyError): void {
    this.stop();
    this.view.set({ state: "failed", error });
  }

  #reconnecting(): void {
    const held = this.view.get();
    if (held.state === "granted") this.view.set({ state: "reconnecting", occupancy: held.occupancy, fencingToken: held.fencingToken });
  }

  /** Occupies, and renews until it ends, over HTTP. */
  #keep(takeOver: boolean): () => void {
    const ended = new AbortController();
    const onPageHide = () => this.#giveBack(this.#options.graceSeconds ?? defaultGrace); // it may be a reload
    const loop = async () => {
      for (let failures = 0; !ended.signal.aborted; ) {
        try {
          await this.#ask(takeOver && this.#token === undefined, ended.signal);
          failures = 0;
          await this.#client.pause(this.#renewEvery(), ended.signal);
        } catch (e) {
          const error = e instanceof OccupyError ? e : unreachable(e);
          if (ended.signal.aborted) return;
          if (!error.passes) return this.#fail(error);
          this.#reconnecting();
          await this.#client.wait(failures++);
        }
      }
    };
    addEventListener("pagehide", onPageHide);
    void loop();
    return () => {
      ended.abort();
      removeEventListener("pagehide", onPageHide);
      this.#giveBack();
    };
  }

  /** Occupies at first, and renews from then on: what has ended meanwhile is not to be revived. */
  async #ask(takeOver: boolean, signal: AbortSignal): Promise<void> {
    const asked = this.#client.clock.ticks;
    if (this.#token === undefined) {
      const occupy = answered((await this.#client.request(OccupyDocument, { input: { ...this.#input, takeOver } })).occupy);
      this.#client.clock.noteRemaining(occupy.occupancy, asked);
      if (signal.aborted) return this.#giveBack(undefined, occupy);
      return occupy.ok ? this.#grant(occupy.occupancy, occupy.message) : this.#deny(occupy.code, occupy.message, occupy.occupancy);
    }
    const { ttlSeconds } = this.#options;
    const input = { ...this.#item, ttlSeconds, session: this.#session, fencingToken: this.#token };
    const renew = answered((await this.#client.request(RenewDocument, { input }, { signal })).renew);
    this.#client.clock.noteRemaining(renew.occupancy, asked);
    if (renew.ok) this.#grant(renew.occupancy, renew.message);
    else this.#lose(renew.occupancy, renew.code === "EXPIRED" ? "EXPIRED" : null);
  }

  /** Soon enough for the time that is left, and to mend what a free of the page before left of it. */
  #renewEvery(): number {
    const held = this.view.get();
    const left = held.state === "granted" ? held.occupancy.remainingSeconds : 0;
    return Math.min(left / 3, (this.#options.graceSeconds ?? defaultGrace) / 2) * 1000;
  }

  /** Frees without waiting for it, also as the page goes. */
  #giveBack(graceSeconds?: number, granted?: Answered): void {
    const held = this.view.get();
    const token = granted?.ok ? granted.occupancy.fencingToken : "fencingToken" in held ? held.fencingToken : undefined;
    if (token === undefined) return;
    const input = { ...this.#item, session: this.#session, fencingToken: token, how: "WINDOW_CLOSED" as const, graceSeconds };
    void this.#client.request(FreeDocument, { input }, { keepalive: true }).catch(() => undefined); // its time runs out
  }
}
