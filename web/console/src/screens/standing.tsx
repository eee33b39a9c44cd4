import { timeOf } from "../parts/time";
import { useSpoken } from "../words";
import type { Holds } from "./holds";

/** How one stands: whose the lots are, and, if they are another's, until when at most. */
export function Standing({ holds, onTakeOver }: { holds: Holds; onTakeOver: () => void }) {
  const { words, language } = useSpoken();
  const say = words.screens;
  switch (holds.phase) {
    case "idle":
      return null;
    case "asking":
      return <p className="note good">{say.asking}</p>;
    case "denied":
      return (
        <div className="note bad standing" role="alert">
          <p>{holds.message}</p>
          {holds.blockers.length > 1 && (
            <ul>
              {holds.blockers.map((one) => (
                <li key={one.itemName}>
                  <strong>{one.itemName}</strong> {say.heldBy(one.userId ?? "–", one.uiName ?? "–", one.expireTime ? timeOf(one.expireTime, language) : "–")}
                </li>
              ))}
            </ul>
          )}
          {holds.inOtherWindow && (
            <button type="button" className="button small" onClick={onTakeOver}>
              {say.takeOver}
            </button>
          )}
        </div>
      );
    case "held":
      return (
        <p className={holds.connected ? "note good" : "note"} role="status">
          {holds.connected ? say.yours(holds.lots.map((one) => one.itemName).join(", ")) : say.reconnecting}
        </p>
      );
    case "lost":
      return (
        <p className="note bad" role="alert">
          {say.lost(holds.itemName)} {holds.to && say.nowHeldBy(holds.to)}
        </p>
      );
    case "failed":
      return (
        <p className="note bad" role="alert">
          {holds.message || words.failure.network}
        </p>
      );
    case "saved":
      return (
        <p className="note good" role="status">
          {say.saved(holds.lots.map((one) => `${one.itemName} (${one.fencingToken})`).join(", "))}
        </p>
      );
  }
}
