import { useState } from "react";
import { useWords } from "../words";
import type { Holds, Lot } from "./holds";

type Props = { holds: Holds; onSave: (lots: readonly Lot[]) => Promise<void>; onCancel: () => void };

/** What the screen is for. It can be worked on only while the lots are held, and saved only while that is certain. */
export function Work({ holds, onSave, onCancel }: Props) {
  const words = useWords().screens;
  const [saving, setSaving] = useState(false);
  const held = holds.phase === "held";
  const save = async () => {
    if (!held) return;
    setSaving(true);
    await onSave(holds.lots);
    setSaving(false);
  };
  return (
    <div className="sample-work">
      <fieldset disabled={!held}>
        <label className="field">
          {words.reason}
          <select className="input">
            {words.reasons.map((reason) => (
              <option key={reason}>{reason}</option>
            ))}
          </select>
        </label>
        <label className="field">
          {words.wafers}
          <input className="input" type="number" min={1} max={25} defaultValue={3} />
        </label>
      </fieldset>
      <div className="actions">
        <button type="button" className="button" disabled={!held} onClick={onCancel}>
          {words.cancel}
        </button>
        <button type="button" className="button primary" disabled={!held || !holds.connected || saving} onClick={() => void save()}>
          OK
        </button>
      </div>
    </div>
  );
}
