import { createContext, useContext, useEffect, useMemo, type ReactNode } from "react";
import { useChoice } from "../app/kept";
import { en, type Words } from "./en";
import { ko } from "./ko";

export type Language = "en" | "ko";

const languages = ["en", "ko"] as const;
const dictionaries: Record<Language, Words> = { en, ko };

type Spoken = { language: Language; words: Words; speak: (language: Language) => void };

const Context = createContext<Spoken | undefined>(undefined);

/** The words of the language that the user chose, or else of the browser's. */
export function WordsProvider({ children }: { children: ReactNode }) {
  const [language, speak] = useChoice("occupy.language", languages, preferred(navigator.languages));
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const spoken = useMemo(() => ({ language, words: dictionaries[language], speak }), [language, speak]);
  return <Context value={spoken}>{children}</Context>;
}

/** The first of the browser's languages that there is; English if there is none. */
export function preferred(wanted: readonly string[]): Language {
  for (const one of wanted) {
    const found = languages.find((language) => one.toLowerCase().split("-")[0] === language);
    if (found) return found;
  }
  return "en";
}

export function useSpoken(): Spoken {
  const spoken = useContext(Context);
  if (!spoken) throw new Error("no WordsProvider");
  return spoken;
}

export const useWords = (): Words => useSpoken().words;
