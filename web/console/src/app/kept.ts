import { useCallback, useState } from "react";

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

/** A choice of a few words, kept over reloads. */
export function useChoice<T extends string>(key: string, all: readonly T[], first: T): [T, (value: T) => void] {
  const [value, set] = useState<T>(() => read(localStorage, key, (v) => all.find((one) => one === v)) ?? first);
  const choose = useCallback(
    (next: T) => {
      write(localStorage, key, next);
      set(next);
    },
    [key],
  );
  return [value, choose];
}
