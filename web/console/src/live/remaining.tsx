import { spanOf } from "../parts/time";

const fullBar = 300; // seconds: the bar is about the last five minutes

/** What is left, counting down. */
export function Remaining({ endsAt, now }: { endsAt: number; now: number }) {
  const seconds = Math.max(0, (endsAt - now) / 1000);
  const urgency = seconds <= 15 ? "now" : seconds <= 60 ? "soon" : "calm";
  return (
    <span className={`remaining ${urgency}`}>
      {spanOf(seconds)}
      <span className="remaining-bar" aria-hidden="true">
        <span style={{ transform: `scaleX(${Math.min(1, seconds / fullBar)})` }} />
      </span>
    </span>
  );
}
