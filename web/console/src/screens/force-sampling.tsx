import { useState, type FormEvent } from "react";
import { useWords } from "../words";
import { useHolds } from "./holds";
import { Standing } from "./standing";
import { Work } from "./work";

const uiName = "ForceSampling";

/** One lot: it is taken when it is looked up, and given back when the window is done with it. */
export function ForceSampling() {
  const words = useWords().screens;
  const { holds, occupy, save, cancel } = useHolds(uiName);
  const [lot, setLot] = useState("");
  const busy = holds.phase === "held" || holds.phase === "asking";
  const lookUp = (event: FormEvent) => {
    event.preventDefault();
    void occupy([lot.trim()]);
  };
  return (
    <section className="panel sample" aria-labelledby={uiName}>
      <h2 id={uiName}>{uiName}</h2>
      <p className="muted small">{words.oneLot}</p>
      <form className="row sample-pick" onSubmit={lookUp}>
        <input className="input" required pattern=".*\S.*" aria-label="LOT" placeholder="LOT-2001" value={lot} disabled={busy} onChange={(e) => setLot(e.target.value)} />
        <button className="button" disabled={busy}>
          {words.lookUp}
        </button>
      </form>
      <Standing holds={holds} onTakeOver={() => void occupy([lot.trim()], true)} />
      <Work holds={holds} onSave={save} onCancel={cancel} />
    </section>
  );
}
