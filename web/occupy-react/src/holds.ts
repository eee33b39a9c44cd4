// The holds of one client, shared by those that want the same item: when the last of them is gone
// the item is given back. React's StrictMode mounts everything twice; that is no reason to give it
// back in between.
import type { OccupyClient } from "./client.js";
import { Hold, type OccupyOptions } from "./hold.js";
import { type Item, keyOf } from "./item.js";

interface Shared {
  hold: Hold;
  users: number;
}

const all = new WeakMap<OccupyClient, Map<string, Shared>>();

/** Begins to hold an item, unless somebody in this window does. Give it back by `leave`. */
export function enter(client: OccupyClient, item: Item, options: OccupyOptions): { hold: Hold; leave: () => void } {
  const holds = all.get(client) ?? new Map<string, Shared>();
  all.set(client, holds);
  const key = keyOf(item);
  const shared = holds.get(key) ?? { hold: new Hold(client, item, options), users: 0 };
  if (!holds.has(key)) {
    holds.set(key, shared);
    shared.hold.start();
  }
  shared.users++;
  const leave = () => {
    shared.users--;
    setTimeout(() => {
      if (shared.users > 0 || holds.get(key) !== shared) return;
      holds.delete(key);
      shared.hold.stop();
    });
  };
  return { hold: shared.hold, leave };
}
