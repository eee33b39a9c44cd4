import { useSyncExternalStore } from "react";

/** Time as people read it: by the browser's zone, in the language's order, with 24 hours. */
export function timeOf(instant: string | number | Date, language: string): string {
  return format(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(new Date(instant));
}

export function dayAndTimeOf(instant: string | number | Date, language: string): string {
  const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  return format(language, parts).format(new Date(instant));
}

/** The time of an instant of today, and the day with it for any other. */
export function shortTimeOf(instant: string, language: string, now: number): string {
  const then = new Date(instant);
  if (then.toDateString() === new Date(now).toDateString()) return timeOf(then, language);
  return format(language, { month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(then);
}

const formats = new Map<string, Intl.DateTimeFormat>();

// Making one takes a hundred times as long as using it.
function format(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = language + JSON.stringify(options);
  let made = formats.get(key);
  if (!made) formats.set(key, (made = new Intl.DateTimeFormat(language, options)));
  return made;
}

/** Seconds as 0:07, 4:12, 1:04:12, 2d 03:04. */
export function spanOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (n: number) => String(n).padStart(2, "0");
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  if (hours >= 24) return `${Math.floor(hours / 24)}d ${two(hours % 24)}:${two(minutes)}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let stamp = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    const now = Date.now();
    if (Math.floor(now / 1000) === Math.floor(stamp / 1000)) return;
    stamp = now;
    for (const tell of listeners) tell();
  }, 250);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The browser's clock in milliseconds, a second at a time: one timer for all who look at it. */
export function useSecond(): number {
  return useSyncExternalStore(subscribe, () => stamp);
}
