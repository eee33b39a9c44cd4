import { expect, test } from "vitest";
import { holdWhereOf, rangeOf, readQuestion, whereOf, writeQuestion, type Question } from "./question";

const now = Date.parse("2026-12-01T05:00:00Z");

const asked: Question = {
  period: { from: "2026-11-30T15:00:00.000Z", to: "2026-12-01T15:00:00.000Z" },
  any: true,
  conditions: [
    { field: "itemName", operator: "startsWith", value: "LOT~1/2" },
    { field: "event", operator: "in", value: "FORCED,EXPIRED" },
    { field: "heldSeconds", operator: "gte", value: "60" },
  ],
};

test("a question goes through the address and comes out the same", () => {
  const search = new URLSearchParams("open=LOT/1&last=1h");
  writeQuestion(asked, search);
  expect(readQuestion(new URLSearchParams(search.toString()))).toEqual(asked);
  expect(search.get("open")).toBe("LOT/1");
});

test("what an address does not say well is left out", () => {
  const search = new URLSearchParams("last=9y&from=nonsense&to=&w=nobody~eq~x&w=userId~near~x&w=userId~eq~kim");
  expect(readQuestion(search)).toEqual({ period: { last: "24h" }, any: false, conditions: [{ field: "userId", operator: "eq", value: "kim" }] });
});

test("a question becomes a filter", () => {
  expect(whereOf(asked, now)).toEqual({
    at: { gte: "2026-11-30T15:00:00.000Z", lt: "2026-12-01T15:00:00.000Z" },
    or: [{ itemName: { startsWith: "LOT~1/2" } }, { event: { in: ["FORCED", "EXPIRED"] } }, { heldSeconds: { gte: 60 } }],
  });
});

test("the same question is asked of holds by when and how they ended", () => {
  expect(holdWhereOf(asked, now)).toEqual({
    to: { gte: "2026-11-30T15:00:00.000Z", lt: "2026-12-01T15:00:00.000Z" },
    or: [{ itemName: { startsWith: "LOT~1/2" } }, { endReason: { in: ["FORCED", "EXPIRED"] } }, { seconds: { gte: 60 } }],
  });
});

test("empty conditions ask for nothing, lists are split, and none makes no empty filter", () => {
  const of = (...conditions: Question["conditions"]) => whereOf({ period: { last: "1h" }, any: false, conditions }, now);
  expect(of({ field: "userId", operator: "in", value: "kim, lee ,," }).and).toEqual([{ userId: { in: ["kim", "lee"] } }]);
  expect(of({ field: "userId", operator: "eq", value: " " }, { field: "heldSeconds", operator: "gte", value: "long" })).toEqual({
    at: { gte: "2026-12-01T04:00:00.000Z", lt: "2026-12-01T05:00:00.000Z" },
  });
});

test("a relative period ends now", () => {
  expect(rangeOf({ last: "7d" }, now)).toEqual({ gte: "2026-11-24T05:00:00.000Z", lt: "2026-12-01T05:00:00.000Z" });
});
