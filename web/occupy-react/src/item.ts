import type { ItemFieldsFragment, OccupancyFilter } from "./graph/graphql.js";

/** The row of an item: who holds it, or who held it last. */
export type Occupancy = ItemFieldsFragment;

/** Names an item. `lot1 ` and `LOT1` are one. */
export interface Item {
  itemType: string;
  itemName: string;
}

/** Folds a type or name as the service does. SLOT keys keep their case. */
export function folded(text: string): string {
  return text.normalize("NFKC").toUpperCase().normalize("NFKC").trim();
}

export function keyOf(item: Item): string {
  const type = folded(item.itemType);
  return `${type}/${type === "SLOT" ? item.itemName.trim() : folded(item.itemName)}`;
}

/** Compares 64-bit numbers, which travel as texts. */
function compareLongs(a: string, b: string): number {
  const [x, y] = [BigInt(a), BigInt(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Whether `a` is of a later moment of the item than `b`: (version, renewals) orders all that happens to it. */
export function isLater(a: Pick<Occupancy, "version" | "renewals">, b: Pick<Occupancy, "version" | "renewals">): boolean {
  return (compareLongs(a.version, b.version) || compareLongs(a.renewals, b.renewals)) > 0;
}

function among(list: readonly string[] | null | undefined, value: string | null, fold = (text: string) => text): boolean {
  return !list?.length || (value !== null && list.some((l) => fold(l) === fold(value)));
}

/** Whether an item is one that a filter wants: the service tells of those, too, that have just left it. */
export function matches(o: Occupancy, filter: OccupancyFilter | null | undefined): boolean {
  if (!filter) return true;
  const fold = o.itemType === "SLOT" ? (text: string) => text.trim() : folded;
  const { itemNamePrefix: prefix } = filter;
  return (
    among(filter.itemTypes, o.itemType, folded) && among(filter.itemNames, o.itemName, fold) &&
    (!prefix || fold(o.itemName).startsWith(fold(prefix))) &&
    among(filter.userIds, o.userId, (text) => text.trim()) && among(filter.uiNames, o.uiName) &&
    among(filter.menuNames, o.menuName) && among(filter.states, o.state)
  );
}
