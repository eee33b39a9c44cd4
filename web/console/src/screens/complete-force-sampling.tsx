import { useState, type FormEvent } from "react";
import { useQuery } from "urql";
import { graphql } from "../graph";
import { useWords } from "../words";
import { useHolds } from "./holds";
import { Standing } from "./standing";
import { Work } from "./work";

const uiName = "CompleteForceSampling";

const recentLots = graphql(`
  query RecentLots {
    occupancies(where: { itemType: { eq: "LOT" } }, orderBy: { field: UPDATED_AT, direction: DESC }, first: 12) {
      nodes {
        itemName
      }
    }
  }
`);

/** Several lots: all of them or none, so that nobody waits for somebody who waits for them. */
export function CompleteForceSampling() {
  const words = useWords().screens;
  const { holds, occupy, save, cancel } = useHolds(uiName);
  const [{ data }] = useQuery({ query: recentLots });
  const [lots, setLots] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState("");
  const busy = holds.phase === "held" || holds.phase === "asking";
  const toggle = (lot: string) => setLots(lots.includes(lot) ? lots.filter((one) => one !== lot) : [...lots, lot]);
  const add = (event: FormEvent) => {
    event.preventDefault();
    const more = typed.split(/[\s,]+/).filter((one) => one && !lots.includes(one));
    setLots([...lots, ...more]);
    setTyped("");
  };
  const offered = [...new Set([...lots, ...(data?.occupancies.nodes ?? []).map((one) => one.itemName)])];
  return (
    <section className="panel sample" aria-labelledby={uiName}>
      <h2 id={uiName}>{uiName}</h2>
      <p className="muted small">{words.manyLots}</p>
      <form className="row sample-pick" onSubmit={add}>
        <input className="input" aria-label={words.addLots} placeholder="LOT-2001, LOT-2002" value={typed} disabled={busy} onChange={(e) => setTyped(e.target.value)} />
        <button className="button" disabled={busy || typed.trim() === ""}>
          {words.add}
        </button>
      </form>
      <div className="sample-lots" role="group" aria-label={words.pick}>
        {offered.map((lot) => (
          <button key={lot} type="button" className="chip" aria-pressed={lots.includes(lot)} disabled={busy} onClick={() => toggle(lot)}>
            {lot}
          </button>
        ))}
      </div>
      <div>
        <button type="button" className="button" disabled={busy || lots.length === 0} onClick={() => void occupy(lots)}>
          {words.occupyAll(lots.length)}
        </button>
      </div>
      <Standing holds={holds} onTakeOver={() => void occupy(lots, true)} />
      <Work holds={holds} onSave={save} onCancel={cancel} />
    </section>
  );
}
