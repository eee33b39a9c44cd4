import { expect, it } from "vitest";
import { Clock } from "../src/clock.js";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();

it("counts by the database's clock, however wrong this machine's is", () => {
  let ticks = 5_000;
  const clock = new Clock(() => ticks);
  clock.note(at(0));
  expect(clock.secondsUntil(at(60))).toBe(60);
  ticks += 10_000;
  expect(clock.secondsUntil(at(60))).toBe(50);
  expect(clock.secondsUntil(at(5))).toBe(0);
  expect(clock.secondsUntil(null)).toBe(0);
});

it("is not put back by what happened long ago and is told now", () => {
  let ticks = 0;
  const clock = new Clock(() => ticks);
  clock.note(at(100));
  ticks = 1_000;
  clock.note(at(3)); // missed during an outage
  expect(clock.secondsUntil(at(160))).toBe(59);
});

it("goes on when it has slept, with the first thing that it is told", () => {
  let ticks = 0;
  const clock = new Clock(() => ticks);
  clock.note(at(0));
  ticks = 1_000; // performance.now stands still while the machine sleeps
  clock.note(at(601));
  expect(clock.secondsUntil(at(661))).toBe(60);
});

it("is put right by an answer that it knows when it asked for", () => {
  let ticks = 0;
  const clock = new Clock(() => ticks);
  clock.note(at(500)); // a database whose clock was ahead
  const asked = ticks;
  ticks = 100;
  clock.noteRemaining({ expireTime: at(60), remainingSeconds: 60 }, asked);
  expect(clock.secondsUntil(at(60))).toBeGreaterThan(58.8);
  expect(clock.secondsUntil(at(60))).toBeLessThanOrEqual(60);
});
