import { graphql, readFragment, type FragmentType } from "../graph";
import { dayAndTimeOf } from "../parts/time";
import { useSpoken } from "../words";

const historyListEntry = graphql(`
  fragment HistoryListEntry on HistoryEntry {
    id
    event
    userId
    uiName
    actor
    comment
    at
  }
`);

/** What happened, the newest first. */
export function HistoryList({ entries }: { entries: readonly FragmentType<typeof historyListEntry>[] }) {
  const { words, language } = useSpoken();
  return (
    <ol className="happened">
      {readFragment(historyListEntry, entries).map((one) => (
        <li key={one.id} className={`event ${one.event}`}>
          <span className="row spread">
            <strong>{words.events[one.event]}</strong>
            <time className="muted small" dateTime={one.at}>
              {dayAndTimeOf(one.at, language)}
            </time>
          </span>
          <span>
            {one.userId}
            {one.uiName && <span className="muted"> · {one.uiName}</span>}
            {one.actor !== one.userId && <span className="muted"> · {words.item.by(one.actor)}</span>}
          </span>
          {one.comment && <q className="muted">{one.comment}</q>}
        </li>
      ))}
    </ol>
  );
}
