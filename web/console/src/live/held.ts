/** What the board knows of an item that is held, or was a moment ago. */
export type Held = {
  key: string;
  itemType: string;
  itemName: string;
  userId: string;
  uiName: string;
  menuName: string;
  startTime: string;
  /** In milliseconds, by the browser's clock. */
  endsAt: number;
  version: string;
  /** By the browser's clock; undefined for what was there when the board opened. */
  changedAt?: number;
  /** Given back or run out a moment ago. */
  left?: boolean;
};

export type Column = "item" | "holder" | "screen" | "since" | "remaining";

export type Sort = { column: Column; down: boolean };

export type Narrowed = { types: readonly string[]; item: string; user: string; screen: string };

/** Locks of programs: they are on the board only if somebody asks for them. */
export const slotType = "SLOT";

const isWanted = (type: string, types: readonly string[]) => (types.length === 0 ? type !== slotType : types.includes(type));

/** Those that match, in order. Names are compared as they are: the gateway has folded them. */
export function arrange(all: readonly Held[], by: Narrowed, sort: Sort): Held[] {
  const item = by.item.trim().toUpperCase();
  const user = by.user.trim().toLowerCase();
  const matching = all.filter(
    (one) =>
      isWanted(one.itemType, by.types) &&
      (item === "" || one.itemName.toUpperCase().includes(item)) &&
      (user === "" || one.userId.toLowerCase().includes(user)) &&
      (by.screen === "" || one.uiName === by.screen),
  );
  const sign = sort.down ? -1 : 1;
  const compare = orders[sort.column];
  return matching.sort((a, b) => sign * compare(a, b) || text(a.key, b.key));
}

const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const orders: Record<Column, (a: Held, b: Held) => number> = {
  item: (a, b) => text(a.itemType, b.itemType) || text(a.itemName, b.itemName),
  holder: (a, b) => text(a.userId, b.userId),
  screen: (a, b) => text(a.uiName, b.uiName),
  since: (a, b) => text(a.startTime, b.startTime),
  remaining: (a, b) => a.endsAt - b.endsAt,
};

export type Summary = { held: number; soon: number; types: readonly (readonly [string, number])[]; screens: readonly string[] };

/** How many are held of each type; of the wanted types together, from which screens, and how many end within a minute. */
export function summarize(all: readonly Held[], wanted: readonly string[], now: number): Summary {
  const types = new Map<string, number>();
  const screens = new Set<string>();
  let held = 0;
  let soon = 0;
  for (const one of all) {
    if (one.left) continue;
    types.set(one.itemType, (types.get(one.itemType) ?? 0) + 1);
    if (!isWanted(one.itemType, wanted)) continue;
    held++;
    if (one.endsAt - now <= 60_000) soon++;
    if (one.uiName) screens.add(one.uiName);
  }
  return { held, soon, types: [...types].sort((a, b) => Number(a[0] === slotType) - Number(b[0] === slotType) || b[1] - a[1] || text(a[0], b[0])), screens: [...screens].sort(text) };
}
