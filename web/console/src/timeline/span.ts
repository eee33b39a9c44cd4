/** A stretch of time that the timeline shows; without an end it ends now, and goes on. */
export type Stretch = { span: Span; end?: number };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export const spans = { "10m": 10 * minute, "1h": hour, "4h": 4 * hour, "24h": day, "7d": 7 * day, "31d": 31 * day } as const;
export type Span = keyof typeof spans;
export const spanNames = Object.keys(spans) as Span[];

export function readStretch(search: URLSearchParams): Stretch {
  const wanted = search.get("span");
  const span = spanNames.find((one) => one === wanted) ?? "1h";
  const end = Date.parse(search.get("end") ?? "");
  return Number.isNaN(end) ? { span } : { span, end };
}

/** writeStretch leaves out an end that has not come: such a stretch goes on with the time. */
export function writeStretch({ span, end }: Stretch, now: number, search: URLSearchParams): void {
  search.set("span", span);
  if (end === undefined || end >= now) search.delete("end");
  else search.set("end", new Date(end).toISOString());
}

/** edgesOf has some room after now, so that one sees that it goes on. */
export function edgesOf({ span, end }: Stretch, now: number): { from: number; to: number } {
  const to = end ?? now + spans[span] / 40;
  return { from: to - spans[span], to };
}

/** pan moves by a part of what is seen, to the left if it is negative. */
export function pan(stretch: Stretch, part: number, now: number): Stretch {
  return { span: stretch.span, end: (stretch.end ?? now) + part * spans[stretch.span] };
}

/** zoom goes to the next smaller or larger span about the same middle, or stays with now. */
export function zoom(stretch: Stretch, step: 1 | -1): Stretch {
  const span = spanNames[spanNames.indexOf(stretch.span) + step] ?? stretch.span;
  if (stretch.end === undefined) return { span };
  return { span, end: stretch.end - spans[stretch.span] / 2 + spans[span] / 2 };
}

const steps = [minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, day, 2 * day, 5 * day];

/** ticksOf are round instants by the browser's clock, at most `most` of them. */
export function ticksOf(from: number, to: number, most: number): number[] {
  const step = steps.find((one) => (to - from) / one <= most) ?? 10 * day;
  const shift = new Date(from).getTimezoneOffset() * minute;
  const ticks: number[] = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at <= to; at += step) ticks.push(at);
  return ticks;
}
