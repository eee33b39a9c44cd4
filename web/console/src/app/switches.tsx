import { Icon } from "../parts/icon";
import { useSpoken } from "../words";
import { themes, useTheme } from "./theme";

/** Shows the language that it changes to, in that language. */
export function LanguageSwitch() {
  const { language, speak } = useSpoken();
  const other = language === "en" ? "ko" : "en";
  return (
    <button type="button" className="button quiet" lang={other} onClick={() => speak(other)}>
      {other === "ko" ? "한국어" : "English"}
    </button>
  );
}

const icons = { auto: "auto", light: "sun", dark: "moon" } as const;

export function ThemeSwitch() {
  const words = useSpoken().words.shell.theme;
  const [theme, choose] = useTheme();
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button type="button" className="button quiet icon" title={words[theme]} aria-label={words[theme]} onClick={() => choose(next)}>
      <Icon name={icons[theme]} />
    </button>
  );
}
