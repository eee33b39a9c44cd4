import { useLayoutEffect } from "react";
import { useChoice } from "./kept";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Light or dark; "auto" is as the machine has it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, choose] = useChoice<Theme>("occupy.theme", themes, "auto");
  useLayoutEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [theme, choose];
}
