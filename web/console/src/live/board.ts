import { createClient, type Client } from "graphql-ws";
import { useEffect, useState } from "react";
import { headersOf } from "../app/caller";
import { socketAddress } from "../app/client";
import { follow } from "../app/follow";
import { useSession } from "../app/session";
import { graphql } from "../graph";
import type { BoardSubscription } from "../graph/graphql";
import { useSpoken } from "../words";
import type { Held } from "./held";

export type Feed = { state: "connecting" | "live" | "reconnecting" | "refused"; since: number; problem?: string };

const board = graphql(`
  subscription Board($snapshot: Boolean!, $after: String) {
    occupancyChanged(filter: { states: [OCCUPIED] }, snapshot: $snapshot, after: $after, renewals: true) {
      kind
      cursor
      at
      occupancy {
        itemType
        itemName
        state
        userId
        uiName
        menuName
        startTime
        expireTime
        version
        renewals
      }
    }
  }
`);

const leftShownFor = 4000;

type Told = BoardSubscription["occupancyChanged"];

/** All that is held, kept up to date for as long as it runs. Over a lost connection it goes on from its cursor, so that nothing is missed. */
class Board {
  private items = new Map<string, Held & { order: bigint }>();
  private after: string | undefined;
  private lag = Number.POSITIVE_INFINITY; // from the database's clock to the browser's, with the fastest way seen
  private feed: Feed = { state: "connecting", since: Date.now() };
  private due: ReturnType<typeof setTimeout> | undefined;
  private ended = false;
  private client: Client;
  private stop: () => void;

  constructor(
    params: Record<string, string>,
    private show: (held: readonly Held[], feed: Feed) => void,
  ) {
    this.client = createClient({
      url: socketAddress(),
      connectionParams: params,
      retryAttempts: 0,
      keepAlive: 10_000,
      lazy: true,
      on: { connected: () => this.turn({ state: "live", since: Date.now() }) },
    });
    this.stop = follow(this.client, {
      document: board,
      variables: () => ({ snapshot: this.after === undefined, after: this.after ?? null }),
      hear: ({ occupancyChanged }) => this.hear(occupancyChanged),
      failed: (code) => code === "RESYNC" && this.beginAnew(),
      away: () => this.feed.state === "reconnecting" || this.turn({ state: "reconnecting", since: Date.now() }),
      refused: (problem) => this.turn({ state: "refused", since: Date.now(), problem }),
    });
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.due);
    this.stop();
    void this.client.dispose();
  }

  private beginAnew(): true {
    this.after = undefined;
    this.items.clear();
    return true;
  }


  private hear({ kind, cursor, at, occupancy }: Told): void {
    this.after = cursor;
    const now = Date.now();
    this.lag = Math.min(this.lag, now - Date.parse(at));
    const key = `${occupancy.itemType}/${occupancy.itemName}`;
    const order = (BigInt(occupancy.version) << 64n) + BigInt(occupancy.renewals);
    const before = this.items.get(key);
    if (before && before.order >= order && kind !== "RENEWED") return;
    const left = occupancy.state !== "OCCUPIED";
    this.items.set(key, {
      key,
      itemType: occupancy.itemType,
      itemName: occupancy.itemName,
      userId: occupancy.userId ?? "",
      uiName: occupancy.uiName ?? "",
      menuName: occupancy.menuName ?? "",
      startTime: occupancy.startTime ?? at,
      endsAt: Date.parse(occupancy.expireTime ?? at) + this.lag,
      version: occupancy.version,
      order,
      ...(kind === "CHANGED" && { changedAt: now }),
      ...(left && { left }),
    });
    if (left) setTimeout(() => this.forget(key, order), leftShownFor);
    this.soon();
  }

  private forget(key: string, order: bigint): void {
    if (this.items.get(key)?.order !== order) return;
    this.items.delete(key);
    this.soon();
  }

  private turn(feed: Feed): void {
    this.feed = feed;
    this.soon();
  }

  // A commit of a hundred changes is one drawing.
  private soon(): void {
    this.due ??= setTimeout(() => {
      this.due = undefined;
      if (!this.ended) this.show([...this.items.values()], this.feed);
    }, 50);
  }
}

export function useBoard(): { held: readonly Held[]; feed: Feed } {
  const { caller } = useSession();
  const { language } = useSpoken();
  const [seen, see] = useState<{ held: readonly Held[]; feed: Feed }>({ held: [], feed: { state: "connecting", since: Date.now() } });
  useEffect(() => {
    const running = new Board(headersOf(caller, language), (held, feed) => see({ held, feed }));
    return () => running.end();
  }, [caller, language]);
  return seen;
}
