import { useCallback, useSyncExternalStore } from "react";

/** What a browser keeps for the console. Without storage (it may be forbidden) it lasts as long as the page. */
export function read<T>(store: Storage, key: string, check: (value: unknown) => T | undefined): T | undefined {
  try {
    const text = store.getItem(key);
    return text === null ? undefined : check(JSON.parse(text));
  } catch {
    return undefined; // what somebody else wrote there is as good as nothing
  }
}

export function write(store: Storage, key: string, value: unknown): void {
  try {
    if (value === undefined) store.removeItem(key);
    else store.setItem(key, JSON.stringify(value));
  } catch {
    // full or forbidden: it lasts as long as the page
  }
}

const chosen = new Map<string, string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A choice of a few words, kept over reloads, and the same for all who ask for it. */
export function useChoice<T extends string>(key: string, all: readonly T[], first: T): [T, (value: T) => void] {
  const known = (value: unknown) => all.find((one) => one === value);
  const value = useSyncExternalStore(subscribe, () => {
    const kept = chosen.get(key) ?? read(localStorage, key, known) ?? first;
    chosen.set(key, kept);
    return kept;
  });
  const choose = useCallback(
    (next: T) => {
      write(localStorage, key, next);
      chosen.set(key, next);
      for (const tell of listeners) tell();
    },
    [key],
  );
  return [known(value) ?? first, choose];
}
