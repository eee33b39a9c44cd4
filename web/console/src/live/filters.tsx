import { useWords } from "../words";
import type { Narrowed, Summary } from "./held";

type Props = { summary: Summary; narrowed: Narrowed; narrow: boolean; put: (changes: Record<string, string>) => void };

export function Filters({ summary, narrowed, narrow, put }: Props) {
  const words = useWords().live;
  const toggle = (type: string) => {
    const { types } = narrowed;
    put({ types: (types.includes(type) ? types.filter((one) => one !== type) : [...types, type]).join(",") });
  };
  // A type that is filtered for stays to be seen, also when nothing of it is held.
  const idle = narrowed.types.filter((type) => !summary.types.some(([name]) => name === type));
  const screens = narrowed.screen && !summary.screens.includes(narrowed.screen) ? [narrowed.screen, ...summary.screens] : summary.screens;
  return (
    <div className="filters" role="search">
      <div className="filters-types" role="group" aria-label={words.types}>
        {[...summary.types, ...idle.map((type) => [type, 0] as const)].map(([type, count]) => (
          <button key={type} type="button" className="chip" aria-pressed={narrowed.types.includes(type)} onClick={() => toggle(type)}>
            {type} <span className="chip-count">{count.toLocaleString()}</span>
          </button>
        ))}
      </div>
      <input className="input" type="search" placeholder={words.searchItem} aria-label={words.searchItem} value={narrowed.item} onChange={(e) => put({ item: e.target.value })} />
      <input className="input" type="search" placeholder={words.searchUser} aria-label={words.searchUser} value={narrowed.user} onChange={(e) => put({ user: e.target.value })} />
      <select className="input" aria-label={words.screen} value={narrowed.screen} onChange={(e) => put({ screen: e.target.value })}>
        <option value="">{words.anyScreen}</option>
        {screens.map((screen) => (
          <option key={screen}>{screen}</option>
        ))}
      </select>
      {narrow && (
        <button type="button" className="button quiet" onClick={() => put({ types: "", item: "", user: "", screen: "" })}>
          {words.clear}
        </button>
      )}
    </div>
  );
}
