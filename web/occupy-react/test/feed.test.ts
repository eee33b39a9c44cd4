import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Feed } from "../src/feed.js";
import type { OccupancyFilter } from "../src/graph/graphql.js";
import { changed, FakeSocket, Gateway } from "./gateway.js";

beforeEach(() => { FakeSocket.reset(); vi.useFakeTimers(); });
afterEach(() => void vi.useRealTimers());
const moment = (milliseconds = 60) => vi.advanceTimersByTimeAsync(milliseconds);

async function started(filter?: OccupancyFilter) {
  const feed = new Feed(new Gateway().client, filter);
  feed.start();
  await moment(1);
  const shown = () => feed.view.get().occupancies.map((o) => `${o.itemName} ${o.version}.${o.renewals}`);
  return { feed, shown, state: () => feed.view.get().state };
}

it("is loading until the snapshot is over, also an empty one", async () => {
  const { state, shown } = await started();
  expect(state()).toBe("loading");
  await moment(500);
  expect(state()).toBe("live");
  FakeSocket.last.next(changed("c1"));
  await moment();
  expect(shown()).toEqual(["LOT1 1.0"]);
});

it("drops what it has, and what is older, by (version, renewals)", async () => {
  const { shown } = await started();
  for (const [version, renewals] of [["9", "0"], ["10", "0"], ["9", "5"], ["10", "2"], ["10", "1"], ["10", "0"]] as const) {
    FakeSocket.last.next(changed("c", { version, renewals }));
  }
  await moment();
  expect(shown()).toEqual(["LOT1 10.2"]);
});

it("goes on after the last cursor it was told, on another gateway", async () => {
  const { state, shown } = await started();
  FakeSocket.last.next(changed("s", {}, "SNAPSHOT"));
  await moment(500);
  FakeSocket.last.next(changed("c7", { version: "2" }));
  await moment();
  FakeSocket.last.closed(1006);
  expect(state()).toBe("reconnecting");
  expect(shown()).toEqual(["LOT1 2.0"]);
  await moment(5_000);
  expect(FakeSocket.last.subscribed[0]?.variables).toMatchObject({ snapshot: false, after: "c7" });
  expect(state()).toBe("live");
  FakeSocket.last.next(changed("c7", { version: "2" }));
  FakeSocket.last.next(changed("c8", { version: "3" }));
  await moment();
  expect(shown()).toEqual(["LOT1 3.0"]);
});

it("takes a snapshot again that was cut in half", async () => {
  await started();
  FakeSocket.last.next(changed("s", {}, "SNAPSHOT"));
  await moment(1);
  FakeSocket.last.closed(1006);
  await moment(5_000);
  expect(FakeSocket.last.subscribed[0]?.variables).toMatchObject({ snapshot: true, after: null });
});

it("takes a snapshot on RESYNC, and forgets what is not in it", async () => {
  const { state, shown } = await started();
  FakeSocket.last.next(changed("c1", { id: "a", itemName: "A", version: "5" }));
  FakeSocket.last.next(changed("c2", { id: "b", itemName: "B" }));
  await moment();
  FakeSocket.last.error("RESYNC");
  await moment(300);
  expect(shown()).toEqual(["A 5.0", "B 1.0"]); // until there is better
  expect(FakeSocket.last.subscribed[1]?.variables).toMatchObject({ snapshot: true, after: null });
  FakeSocket.last.next(changed("d1", { id: "a", itemName: "A", version: "2" }, "SNAPSHOT")); // a restored database
  await moment(500);
  expect(shown()).toEqual(["A 2.0"]);
  expect(state()).toBe("live");
});

it("shows only what matches, and sees it leave", async () => {
  const { shown } = await started({ itemTypes: ["lot"], states: ["OCCUPIED"] });
  FakeSocket.last.next(changed("c1"));
  await moment();
  expect(shown()).toEqual(["LOT1 1.0"]);
  FakeSocket.last.next(changed("c2", { version: "2", state: "FREE" }));
  await moment();
  expect(shown()).toEqual([]);
});

it("says why it is refused, and does not ask for ever", async () => {
  const { feed, state } = await started();
  FakeSocket.last.error("BAD_USER_INPUT");
  await moment(60_000);
  expect(state()).toBe("failed");
  expect(feed.view.get().error?.code).toBe("BAD_USER_INPUT");
  expect(FakeSocket.all.flatMap((s) => s.subscribed)).toHaveLength(1);
});

it("is silent once it was stopped, also while it begins anew", async () => {
  const { feed } = await started();
  FakeSocket.last.error("RESYNC");
  await moment(1);
  feed.stop();
  await moment(5_000);
  expect(FakeSocket.all.flatMap((s) => s.subscribed)).toHaveLength(1);
});
