import { WordsProvider } from "../words";
import { SessionProvider } from "./session";
import { Shell } from "./shell";

export function App() {
  return (
    <WordsProvider>
      <SessionProvider>
        <Shell />
      </SessionProvider>
    </WordsProvider>
  );
}
