import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Connection } from "./client.js";
import { Feed, type FeedOptions, type FeedView } from "./feed.js";
import type { FreeHow, OccupancyFilter } from "./graph/graphql.js";
import type { Hold, HoldView, OccupyOptions } from "./hold.js";
import { enter } from "./holds.js";
import { type Item, keyOf, type Occupancy } from "./item.js";
import { useOccupyClient } from "./provider.js";
import { Store } from "./store.js";

/** What becomes of the item, and what can be done about it. */
export type Occupied = HoldView & {
  /** Moves the item here from the user's other window. */
  takeOver: () => void;
  /** Asks again, after it was denied, lost, freed or failed. */
  retry: () => void;
  /** Gives it back: the work is done. Throws an OccupyError if that could not be asked for. */
  free: (how?: FreeHow) => Promise<void>;
};

const nothing = new Store<HoldView>({ state: "idle" });

/**
 * Occupies an item for as long as the component is there, and says what becomes of it; null occupies
 * nothing. It is given back when the component goes. Options count from the next item on.
 */
export function useOccupy(item: Item | null, options: OccupyOptions = {}): Occupied {
  const client = useOccupyClient();
  const latest = useRef(options);
  latest.current = options;
  const { itemType = "", itemName = "" } = item ?? {};
  const key = item ? keyOf(item) : "";
  const [held, setHeld] = useState<{ key: string; hold: Hold }>();
  useEffect(() => {
    if (!key) return;
    const { hold, leave } = enter(client, { itemType, itemName }, latest.current);
    setHeld({ key, hold });
    return leave;
    // The names as they were typed first: `lot1` and `LOT1` are one item.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [client, key]);
  const hold = held?.key === key && key ? held.hold : undefined;
  const { watch, get } = hold?.view ?? nothing;
  const view = useSyncExternalStore(watch, get, get);
  const takeOver = useCallback(() => hold?.start(true), [hold]);
  const retry = useCallback(() => hold?.start(), [hold]);
  const free = useCallback(async (how?: FreeHow) => hold?.free(how), [hold]);
  return useMemo(
    () => ({ ...(key && view.state === "idle" ? { state: "asking" as const } : view), takeOver, retry, free }),
    [key, view, takeOver, retry, free],
  );
}

const unfed = new Store<FeedView>({ state: "loading", occupancies: [] });

/** All items that match, live: each change once, none missing, and right again after a lost connection. */
export function useOccupancies(filter?: OccupancyFilter, options: FeedOptions = {}): FeedView {
  const client = useOccupyClient();
  const said = JSON.stringify([filter ?? null, options.renewals ?? true]);
  const [feed, setFeed] = useState<Feed>();
  useEffect(() => {
    const [wanted, renewals] = JSON.parse(said) as [OccupancyFilter | null, boolean];
    const made = new Feed(client, wanted ?? undefined, { renewals });
    made.start();
    setFeed(made);
    return () => {
      made.stop();
      setFeed(undefined);
    };
  }, [client, said]);
  const { watch, get } = feed?.view ?? unfed;
  return useSyncExternalStore(watch, get, get);
}

/** Whole seconds that an item is still held, by the database's clock, counting down. 0 if nobody holds it. */
export function useSecondsLeft(occupancy: Pick<Occupancy, "state" | "expireTime"> | null | undefined): number {
  const { clock } = useOccupyClient();
  const until = occupancy?.state === "OCCUPIED" ? occupancy.expireTime : null;
  const read = useCallback(() => Math.ceil(clock.secondsUntil(until)), [clock, until]);
  const watch = useCallback((changed: () => void) => {
    if (!until) return () => undefined;
    const timer = setInterval(changed, 250);
    return () => clearInterval(timer);
  }, [until]);
  return useSyncExternalStore(watch, read, read);
}

/** How the window is connected. */
export function useConnection(): Connection {
  const { watch, get } = useOccupyClient().connection;
  return useSyncExternalStore(watch, get, get);
}
