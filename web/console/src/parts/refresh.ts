import { useEffect } from "react";

/** Calls again and again, as long as somebody can see the page. */
export function useRefresh(refresh: () => void, milliseconds: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) refresh();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [refresh, milliseconds]);
}
