import { Icon } from "../parts/icon";
import { timeOf } from "../parts/time";
import { useSpoken } from "../words";
import type { Feed } from "./board";

/** Whether what one sees is what there is: always visible. */
export function FeedLight({ feed }: { feed: Feed }) {
  const { words, language } = useSpoken();
  return (
    <span className={`feed ${feed.state}`} role="status">
      <span className="feed-dot" aria-hidden="true" />
      {words.feed[feed.state]}
      {feed.state === "reconnecting" && <span className="feed-since">{words.feed.since(timeOf(feed.since, language))}</span>}
    </span>
  );
}

export function FeedState({ feed, onWall }: { feed: Feed; onWall: () => void }) {
  const words = useSpoken().words.shell;
  return (
    <span className="row live-state">
      <FeedLight feed={feed} />
      <button type="button" className="button quiet icon to-wall" title={words.wall} aria-label={words.wall} onClick={onWall}>
        <Icon name="wall" />
      </button>
    </span>
  );
}

/** What to think of a board that is not live. */
export function FeedNote({ feed }: { feed: Feed }) {
  const { words, language } = useSpoken();
  if (feed.problem) return <p className="note bad live-note" role="alert">{feed.problem}</p>;
  if (feed.state !== "reconnecting") return null;
  return <p className="note live-note">{words.feed.stale(timeOf(feed.since, language))}</p>;
}
