import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Hold } from "../src/hold.js";
import { FakeSocket, Gateway, row, told } from "./gateway.js";

const lot = { itemType: "LOT", itemName: "LOT1" };
beforeEach(() => { FakeSocket.reset(); vi.useFakeTimers(); });
afterEach(() => void vi.useRealTimers());
const moment = (milliseconds = 1) => vi.advanceTimersByTimeAsync(milliseconds);

describe("a hold over a socket", () => {
  async function granted(): Promise<{ gateway: Gateway; hold: Hold }> {
    const gateway = new Gateway();
    const hold = new Hold(gateway.client, lot);
    hold.start();
    await moment();
    FakeSocket.last.next(told("OCCUPIED", {}, { payload: { ok: true, code: "GRANTED", message: "yours" } }));
    await moment();
    expect(hold.view.get()).toMatchObject({ state: "granted", fencingToken: "1", message: "yours" });
    return { gateway, hold };
  }

  it("is given back by complete, when it stops", async () => {
    const { hold } = await granted();
    hold.stop();
    expect(FakeSocket.last.completed).toEqual([FakeSocket.last.subscribed[0]?.id]);
  });

  it("is not given back as the page is left: it may be a reload", async () => {
    const { gateway } = await granted();
    dispatchEvent(new Event("pagehide"));
    await moment();
    expect(FakeSocket.last.completed).toEqual([]);
    expect(gateway.asked).toEqual([]);
  });

  it("comes back after a gateway went, with its session", async () => {
    const { hold } = await granted();
    FakeSocket.last.closed(1012);
    expect(hold.view.get().state).toBe("reconnecting");
    await moment(5_000);
    expect(FakeSocket.all).toHaveLength(2);
    expect(FakeSocket.last.subscribed[0]?.variables.input).toMatchObject({ session: "S1", takeOver: false });
    FakeSocket.last.next(told("OCCUPIED", { renewals: "1" }, { payload: { ok: true, code: "REENTERED", message: "still yours" } }));
    await moment();
    expect(hold.view.get()).toMatchObject({ state: "granted", fencingToken: "1" });
  });

  it("comes back after a fault of the service, for which graphql-ws gives up", async () => {
    const { hold } = await granted();
    FakeSocket.last.closed(1011);
    await moment(5_000);
    expect(FakeSocket.all).toHaveLength(2);
    expect(hold.view.get().state).toBe("reconnecting");
  });

  // The screen's data is of before: somebody may have worked on the item in between.
  it("is lost if it came free in between, even if it could be had anew, and is given back", async () => {
    const { hold } = await granted();
    FakeSocket.last.closed(1006);
    await moment(5_000);
    FakeSocket.last.next(told("OCCUPIED", { fencingToken: "3" }, { payload: { ok: true, code: "GRANTED", message: "" } }));
    await moment();
    expect(hold.view.get()).toMatchObject({ state: "lost", event: "EXPIRED" });
    expect(FakeSocket.last.completed).toHaveLength(1);
  });

  it("is lost to who took it during an outage", async () => {
    const { hold } = await granted();
    FakeSocket.last.closed(1006);
    await moment(5_000);
    FakeSocket.last.next(told("DENIED", { userId: "lee", fencingToken: "2" }, { payload: { ok: false, code: "HELD", message: "lee" } }));
    await moment();
    expect(hold.view.get()).toMatchObject({ state: "lost", occupancy: { userId: "lee" } });
  });

  it("says at once that it was lost, and why", async () => {
    const { hold } = await granted();
    FakeSocket.last.next(told("LOST", { state: "FREE" }, { event: "FORCED" }));
    await moment();
    expect(hold.view.get()).toMatchObject({ state: "lost", event: "FORCED" });
  });

  it("finds out by itself that nobody is there any more", async () => {
    const { hold } = await granted();
    FakeSocket.last.answersPings = false;
    await moment(16_000);
    expect(hold.view.get().state).toBe("reconnecting");
  });

  it("looks at once when the machine wakes up", async () => {
    const { hold } = await granted();
    FakeSocket.last.answersPings = false;
    dispatchEvent(new Event("online"));
    await moment(5_100);
    expect(hold.view.get().state).toBe("reconnecting");
    FakeSocket.refuse = true;
    await moment(60_000);
    FakeSocket.refuse = false;
    const before = FakeSocket.all.length;
    dispatchEvent(new Event("online"));
    await moment();
    expect(FakeSocket.all.length).toBe(before + 1); // and does not wait for its turn
  });

  it("does not end what another tab holds by the session that this one has copied", async () => {
    const { gateway } = await granted();
    const first = FakeSocket.last;
    gateway.session.set("S2");
    await moment(5_000);
    expect(first.completed).toEqual([]);
    expect(first.readyState).toBe(3);
    expect(FakeSocket.last.subscribed.map((s) => s.variables.input?.session)).toEqual(["S2"]);
  });

  it("takes over from the other window once, not at each connection", async () => {
    const gateway = new Gateway();
    const hold = new Hold(gateway.client, lot);
    hold.start();
    await moment();
    FakeSocket.last.next(told("DENIED", {}, { payload: { ok: false, code: "HELD_IN_OTHER_WINDOW", message: "" } }));
    await moment();
    expect(hold.view.get()).toMatchObject({ state: "denied", ownWindow: true });
    hold.start(true);
    await moment();
    expect(FakeSocket.last.subscribed[1]?.variables.input?.takeOver).toBe(true);
    FakeSocket.last.next(told("OCCUPIED", { fencingToken: "2" }, { payload: { ok: true, code: "TAKEN_OVER", message: "" } }));
    await moment();
    expect(hold.view.get().state).toBe("granted");
    FakeSocket.last.closed(1006);
    await moment(5_000);
    expect(FakeSocket.last.subscribed[0]?.variables.input?.takeOver).toBe(false);
  });

  it("does not hammer a gateway that refuses its credentials", async () => {
    const { hold } = await granted();
    FakeSocket.last.closed(4403, "the token is not valid");
    await moment(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(hold.view.get()).toMatchObject({ state: "failed", error: { code: "UNAUTHENTICATED" } });
  });
});

describe("a hold over HTTP", () => {
  const ok = (code: string, over = {}) => ({ ok: true, code, message: "", occupancy: row({ remainingSeconds: 60, ...over }) });

  async function granted(transport: "http" | "auto" = "http"): Promise<{ gateway: Gateway; hold: Hold; fields: () => string[] }> {
    const gateway = new Gateway(transport);
    gateway.answer = ({ field }) => (field === "me" ? { userId: "kim" } : ok(field === "occupy" ? "GRANTED" : "RENEWED"));
    FakeSocket.refuse = transport === "auto";
    const hold = new Hold(gateway.client, lot);
    hold.start();
    await moment(transport === "auto" ? 10_000 : 1);
    expect(hold.view.get()).toMatchObject({ state: "granted", fencingToken: "1" });
    return { gateway, hold, fields: () => gateway.asked.map((a) => a.field) };
  }

  it("is taken where no socket can be had", async () => {
    const { fields } = await granted("auto");
    expect(fields()).toContain("occupy");
  });

  it("is renewed in time, and given back when it stops", async () => {
    const { gateway, hold, fields } = await granted();
    await moment(31_000);
    expect(fields()).toEqual(["occupy", "renew", "renew"]);
    hold.stop();
    await moment();
    expect(gateway.asked.at(-1)).toMatchObject({ field: "free", keepalive: true, input: { fencingToken: "1", session: "S1" } });
    expect(gateway.asked.at(-1)?.input.graceSeconds).toBeUndefined();
    await moment(60_000);
    expect(fields()).toHaveLength(4);
  });

  it("leaves a grace as the page is left: it may be a reload", async () => {
    const { gateway } = await granted();
    dispatchEvent(new Event("pagehide"));
    await moment();
    expect(gateway.asked.at(-1)).toMatchObject({ field: "free", keepalive: true, input: { graceSeconds: 30, how: "WINDOW_CLOSED" } });
  });

  it("says so when a renewal is refused, and asks no more", async () => {
    const { gateway, hold, fields } = await granted();
    gateway.answer = () => ({ ok: false, code: "NOT_HOLDER", message: "", occupancy: row({ userId: "lee" }) });
    await moment(16_000);
    expect(hold.view.get()).toMatchObject({ state: "lost", occupancy: { userId: "lee" } });
    const before = fields().length;
    await moment(60_000);
    expect(fields()).toHaveLength(before);
  });

  it("goes on after an outage", async () => {
    const { gateway, hold } = await granted();
    const { answer } = gateway;
    gateway.answer = () => undefined;
    await moment(30_000);
    expect(hold.view.get().state).toBe("reconnecting");
    gateway.answer = answer;
    await moment(6_000);
    expect(hold.view.get().state).toBe("granted");
  });
});
