import { expect, test } from "vitest";
import { edgesOf, pan, readStretch, ticksOf, writeStretch, zoom } from "./span";

const now = Date.parse("2026-12-01T05:00:00Z");
const hour = 3_600_000;

test("a stretch of the past goes through the address, one that goes on has no end", () => {
  const search = new URLSearchParams();
  writeStretch({ span: "4h", end: now - hour }, now, search);
  expect(readStretch(search)).toEqual({ span: "4h", end: now - hour });
  writeStretch({ span: "24h", end: now + 1 }, now, search);
  expect(readStretch(search)).toEqual({ span: "24h" });
  expect(readStretch(new URLSearchParams("span=9y&end=then"))).toEqual({ span: "1h" });
});

test("one that goes on ends a little after now", () => {
  const { from, to } = edgesOf({ span: "1h" }, now);
  expect(to).toBeGreaterThan(now);
  expect(to - from).toBe(hour);
});

test("panning and zooming keep what one looks at", () => {
  expect(pan({ span: "1h" }, -0.5, now)).toEqual({ span: "1h", end: now - hour / 2 });
  expect(zoom({ span: "1h", end: now }, 1)).toEqual({ span: "4h", end: now + 1.5 * hour });
  expect(zoom({ span: "10m" }, -1)).toEqual({ span: "10m" });
});

test("ticks are round and few", () => {
  const ticks = ticksOf(now - hour, now, 8);
  expect(ticks.length).toBeLessThanOrEqual(8);
  expect(ticks.map((at) => new Date(at).getMinutes() % 10)).toEqual(ticks.map(() => 0));
});
