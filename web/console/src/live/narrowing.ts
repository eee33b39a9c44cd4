import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";
import type { Column, Narrowed, Sort } from "./held";

const columns: readonly Column[] = ["item", "holder", "screen", "since", "remaining"];

/** What the board is narrowed to and ordered by. It stands in the address, so that it can be sent to somebody. */
export function useNarrowing() {
  const [search, setSearch] = useSearchParams();
  const text = search.toString();
  const { narrowed, sort } = useMemo(() => read(new URLSearchParams(text)), [text]);
  const put = useCallback(
    (changes: Record<string, string>) =>
      setSearch(
        (now) => {
          for (const [name, value] of Object.entries(changes)) {
            if (value) now.set(name, value);
            else now.delete(name);
          }
          return now;
        },
        { replace: true },
      ),
    [setSearch],
  );
  return { narrowed, sort, open: search.get("open"), put };
}

function read(search: URLSearchParams): { narrowed: Narrowed; sort: Sort } {
  const wanted = search.get("sort") ?? "";
  const column = columns.find((one) => wanted === one || wanted === `-${one}`) ?? "remaining";
  return {
    narrowed: {
      types: (search.get("types") ?? "").split(",").filter(Boolean),
      item: search.get("item") ?? "",
      user: search.get("user") ?? "",
      screen: search.get("screen") ?? "",
    },
    sort: { column, down: wanted.startsWith("-") },
  };
}
