import { act, cleanup, render } from "@testing-library/react";
import { StrictMode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Parts } from "../src/client.js";
import { type Occupied, OccupyProvider, useHistory, useOccupancies, useOccupy, useSecondsLeft } from "../src/index.js";
import { changed, FakeSocket, Gateway, told } from "./gateway.js";

beforeEach(() => { FakeSocket.reset(); vi.useFakeTimers(); });
afterEach(() => { cleanup(); vi.useRealTimers(); });
const moment = (milliseconds = 10) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

function provided(children: React.ReactNode, headers: Record<string, string> = { "X-User-Id": "kim" }) {
  const { clock } = new Gateway().client;
  const fetch = (async () => new Response(JSON.stringify({ data: { history: { nodes: [{ id: "1" }], pageInfo: { hasNextPage: false, endCursor: "e" } } } }))) as typeof globalThis.fetch;
  const session = { current: { get: () => "S1", watch: () => () => undefined }, close: () => undefined } as unknown as Parts["session"];
  const parts: Partial<Parts> = { webSocket: FakeSocket, fetch, clock, session };
  return <StrictMode><OccupyProvider url="http://gateway/graphql" wsUrl="ws://gateway/graphql" headers={headers} parts={parts}>{children}</OccupyProvider></StrictMode>;
}

let seen: Occupied;
function Screen({ lot }: { lot: string | null }) {
  seen = useOccupy(lot === null ? null : { itemType: "LOT", itemName: lot }, { uiName: "ForceSampling" });
  const left = useSecondsLeft("occupancy" in seen ? seen.occupancy : null);
  return <button disabled={seen.state !== "granted"}>{`${seen.state} ${left}`}</button>;
}

const grant = (over = {}) => told("OCCUPIED", over, { payload: { ok: true, code: "GRANTED", message: "yours" } });
const sent = () => FakeSocket.all.flatMap((s) => s.subscribed);
const completed = () => FakeSocket.all.flatMap((s) => s.completed);

it("occupies once in StrictMode, keeps it as it renders again, and frees it as it goes", async () => {
  const { rerender, unmount, container } = render(provided(<Screen lot="LOT1" />));
  await moment();
  expect(sent()).toHaveLength(1);
  expect(container.textContent).toBe("asking 0");
  FakeSocket.last.next(grant());
  await moment();
  expect(container.textContent).toBe("granted 300");
  expect(container.querySelector("button")?.disabled).toBe(false);
  rerender(provided(<Screen lot="lot1 " />));
  await moment();
  expect(sent()).toHaveLength(1);
  unmount();
  await moment();
  expect(completed()).toHaveLength(1);
});

it("lets go of one item before it turns to the next", async () => {
  const { rerender } = render(provided(<Screen lot="LOT1" />));
  await moment();
  FakeSocket.last.next(grant());
  await moment();
  rerender(provided(<Screen lot="LOT2" />));
  expect(seen.state).toBe("asking");
  await moment();
  expect(completed()).toEqual([sent()[0]?.id]);
  expect(sent()[1]?.variables.input).toMatchObject({ itemName: "LOT2" });
  rerender(provided(<Screen lot={null} />));
  expect(seen.state).toBe("idle");
});

// Case R9.
it("disables OK at once when the item is lost", async () => {
  const { container } = render(provided(<Screen lot="LOT1" />));
  await moment();
  FakeSocket.last.next(grant());
  await moment();
  FakeSocket.last.next(told("LOST", { userId: "lee", fencingToken: "2" }, { event: "TAKEN_OVER" }));
  await moment();
  expect(container.querySelector("button")?.disabled).toBe(true);
  expect(seen).toMatchObject({ state: "lost", event: "TAKEN_OVER", occupancy: { userId: "lee" } });
});

it("keeps an item that two parts of a screen want until both are gone", async () => {
  const { rerender } = render(provided(<><Screen lot="LOT1" /><Screen lot="LOT1" /></>));
  await moment();
  FakeSocket.last.next(grant());
  await moment();
  rerender(provided(<Screen lot="LOT1" />));
  await moment();
  expect(sent()).toHaveLength(1);
  expect(completed()).toEqual([]);
});

it("connects anew as another user", async () => {
  const { rerender } = render(provided(<Screen lot="LOT1" />));
  await moment();
  rerender(provided(<Screen lot="LOT1" />, { "X-User-Id": "lee" }));
  await moment(100);
  expect(FakeSocket.all).toHaveLength(2);
  expect(FakeSocket.all[0]?.readyState).toBe(3);
});

it("shows a live list and a page of history", async () => {
  let shown = "";
  function Panel() {
    const { occupancies, state } = useOccupancies({ itemTypes: ["LOT"] });
    const { rows, isLoading } = useHistory({ itemType: { eq: "LOT" } });
    shown = `${state} ${occupancies.map((o) => o.itemName).join()} ${isLoading ? "…" : rows.length}`;
    return null;
  }
  const { unmount } = render(provided(<Panel />));
  await moment();
  FakeSocket.last.next(changed("c1"));
  await moment(100);
  expect(shown).toBe("live LOT1 1");
  unmount();
  expect(new Set(completed()).size).toBe(sent().length);
});
