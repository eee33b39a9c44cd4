import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Places, TabSession } from "../src/session.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Channel = Places["channel"];

/** A browser, whose tabs hear each other but for frozen ones. */
class Browser {
  readonly channels = new Set<Channel>();
  frozen: Channel | undefined;
  late: (() => void)[] = [];

  tab(storage: Map<string, string>) {
    const page = new EventTarget();
    const channel: Channel = {
      onmessage: null,
      close: () => void this.channels.delete(channel),
      postMessage: (data: unknown) => {
        for (const other of this.channels) {
          if (other === channel) continue;
          const deliver = () => other.onmessage?.({ data } as MessageEvent);
          if (other === this.frozen) this.late.push(deliver);
          else queueMicrotask(deliver);
        }
      },
    };
    this.channels.add(channel);
    const session = new TabSession({
      storage: {
        getItem: (k) => storage.get(k) ?? null, setItem: (k, v) => void storage.set(k, v), removeItem: (k) => void storage.delete(k),
      },
      channel,
      page: page as unknown as Places["page"],
    });
    const leave = () => { page.dispatchEvent(new Event("pagehide")); this.channels.delete(channel); };
    return { session, storage, channel, leave };
  }
}

const settled = () => vi.advanceTimersByTimeAsync(1_000);

it("is drawn for a new tab at once, and kept over a reload", async () => {
  const browser = new Browser();
  const first = browser.tab(new Map());
  const drawn = first.session.current.get();
  expect(drawn).toMatch(/^[0-9a-f]{32}$/);
  first.leave();
  expect(browser.tab(first.storage).session.current.get()).toBe(drawn);
  expect(browser.tab(new Map()).session.current.get()).not.toBe(drawn);
});

it("is another one in a duplicated tab", async () => {
  const browser = new Browser();
  const first = browser.tab(new Map());
  const copy = browser.tab(new Map(first.storage));
  expect(copy.session.current.get()).toBeUndefined(); // not before it is known
  await settled();
  expect(copy.session.current.get()).toMatch(/^[0-9a-f]{32}$/);
  expect(copy.session.current.get()).not.toBe(first.session.current.get());
  copy.leave();
  expect(browser.tab(copy.storage).session.current.get()).toBe(copy.session.current.get());
});

it("is kept by a tab that comes back from a crash", async () => {
  const browser = new Browser();
  const first = browser.tab(new Map());
  browser.channels.delete(first.channel);
  const back = browser.tab(first.storage);
  await settled();
  expect(back.session.current.get()).toBe(first.session.current.get());
});

it("is drawn anew when a frozen tab says at last that it is its own", async () => {
  const browser = new Browser();
  const first = browser.tab(new Map());
  browser.frozen = first.channel;
  const copy = browser.tab(new Map(first.storage));
  await settled();
  expect(copy.session.current.get()).toBe(first.session.current.get());
  browser.frozen = undefined;
  browser.late.forEach((deliver) => deliver());
  await settled();
  expect(copy.session.current.get()).not.toBe(first.session.current.get());
});

it("is had by one of two tabs that ask at once", async () => {
  const browser = new Browser();
  const first = browser.tab(new Map());
  browser.channels.delete(first.channel);
  const [one, other] = [browser.tab(new Map(first.storage)), browser.tab(new Map(first.storage))];
  await settled();
  expect(new Set([one.session.current.get(), other.session.current.get()]).size).toBe(2);
});
