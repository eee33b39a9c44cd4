// A live list of items: complete, each change once, and right again after whatever happened.
import type { OccupyClient } from "./client.js";
import type { OccupyError } from "./http.js";
import { type OccupancyChangedSubscription, type OccupancyFilter, OccupancyChangedDocument } from "./graph/graphql.js";
import { isLater, matches, type Occupancy } from "./item.js";
import { Store } from "./store.js";

export type FeedState = "loading" | "live" | "reconnecting" | "failed";

/** What a feed knows. Each change makes a new one. */
export interface FeedView {
  state: FeedState;
  /** By item type and name. */
  occupancies: readonly Occupancy[];
  /** Why it is `failed`. */
  error?: OccupyError;
}

export interface FeedOptions {
  /** Also hear when a hold is extended, so that the time left is right; true if absent. */
  renewals?: boolean;
}

type Event = OccupancyChangedSubscription["occupancyChanged"];

/** What comes within this time is shown together: a snapshot has thousands. */
const gather = 50;
/** A snapshot has no last event. It is over when nothing more of it came for so long. */
const snapshotQuiet = 300;

export class Feed {
  readonly view = new Store<FeedView>({ state: "loading", occupancies: [] });
  readonly #client: OccupyClient;
  readonly #filter: OccupancyFilter | undefined;
  readonly #variables: { filter: OccupancyFilter | null; snapshot: boolean; renewals: boolean; after: string | null };
  #latest = new Map<string, Occupancy>(); // of each item heard of, wanted or not
  #state: FeedState = "loading";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cursor: string | undefined;
  #end: (() => void) | undefined;

  constructor(client: OccupyClient, filter?: OccupancyFilter, options: FeedOptions = {}) {
    this.#client = client;
    this.#filter = filter;
    this.#variables = { filter: filter ?? null, snapshot: true, renewals: options.renewals ?? true, after: null };
  }

  start(): void {
    this.#end = this.#client.subscribe(OccupancyChangedDocument, this.#variables, {
      opened: () => this.#publishIn(snapshotQuiet), // there may be nothing to tell
      next: (data) => this.#hear(data.occupancyChanged),
      lost: () => this.#lose(),
      failed: (error) => this.#fail(error),
      completed: () => this.#again(),
    });
  }

  stop(): void {
    this.#end?.();
    this.#end = undefined;
    this.#calm();
  }

  #hear(e: Event): void {
    this.#client.clock.note(e.at);
    this.#cursor = e.cursor;
    const known = this.#latest.get(e.occupancy.id);
    if (!known || isLater(e.occupancy, known)) this.#latest.set(e.occupancy.id, e.occupancy);
    if (this.#state !== "loading") this.#goOnAfter();
    this.#publishIn(this.#state === "loading" && e.kind === "SNAPSHOT" ? snapshotQuiet : gather);
  }

  /** From here on a lost connection is resumed. Half a snapshot can not be: it is taken again. */
  #goOnAfter(): void {
    if (this.#cursor) Object.assign(this.#variables, { snapshot: false, after: this.#cursor });
  }

  #lose(): void {
    this.#calm();
    if (this.#state === "loading") return; // nothing to show yet, connected or not
    this.#state = "reconnecting";
    this.#publish();
  }

  #fail(error: OccupyError): void {
    if (error.code === "RESYNC") return this.#again();
    this.#calm();
    this.#state = "failed";
    this.#publish(error);
  }

  /** Begins anew: what was known may have a hole, or be of another database. It is shown until there is better. */
  #again(): void {
    this.#end?.();
    this.#calm();
    this.#latest = new Map();
    this.#cursor = undefined;
    this.#state = "loading";
    Object.assign(this.#variables, { snapshot: true, after: null });
    void this.#client.wait(0).then(() => this.#end && this.start());
  }

  #calm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Shows what there is, in a moment; a snapshot puts that off as long as it goes on. */
  #publishIn(milliseconds: number): void {
    if (this.#timer !== undefined && this.#state === "live") return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#state = "live";
      this.#goOnAfter();
      this.#publish();
    }, milliseconds);
  }

  #publish(error?: OccupyError): void {
    const occupancies = [...this.#latest.values()].filter((o) => matches(o, this.#filter)).sort(byItem);
    this.view.set({ state: this.#state, occupancies, error });
  }
}

function byItem(a: Occupancy, b: Occupancy): number {
  const [x, y] = [`${a.itemType}/${a.itemName}`, `${b.itemType}/${b.itemName}`];
  return x < y ? -1 : x > y ? 1 : 0;
}
