import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** Whether the page hangs on a wall: large, and without what one would click. It stands in the address, as a wall has no mouse. */
export function useWall(): [boolean, (on: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const put = useCallback(
    (on: boolean) =>
      setSearch((now) => {
        if (on) now.set("wall", "1");
        else now.delete("wall");
        return now;
      }),
    [setSearch],
  );
  return [search.get("wall") === "1", put];
}
