import { useEffect, useRef, useState } from "react";
import { Icon } from "../parts/icon";
import { timeOf } from "../parts/time";
import { useSpoken } from "../words";
import type { Feed } from "./board";
import { FeedLight, FeedNote } from "./feed-state";
import { slotType, type Held, type Summary } from "./held";
import { Remaining } from "./remaining";

type Props = { held: readonly Held[]; summary: Summary; feed: Feed; now: number; onLeave: () => void };

const secondsAPage = 12;

/** The board as it hangs on a wall, to be read from five metres. What does not fit is shown page after page. */
export function Wall({ held, summary, feed, now, onLeave }: Props) {
  const { words, language } = useSpoken();
  const [body, size] = useRowsThatFit();
  const pages = Math.max(1, Math.ceil(held.length / size));
  const page = Math.floor(now / 1000 / secondsAPage) % pages;
  return (
    <div className={feed.state === "live" ? "wall-board" : "wall-board stale"}>
      <header className="wall-head">
        <h1>
          <span className="wall-number">{summary.held.toLocaleString()}</span> {words.live.heldWord}
        </h1>
        <ul className="wall-types">
          {summary.types.filter(([type]) => type !== slotType).slice(0, 5).map(([type, count]) => (
            <li key={type}>
              <span className="muted">{type}</span> <strong>{count.toLocaleString()}</strong>
            </li>
          ))}
        </ul>
        <span className="wall-state">
          <FeedLight feed={feed} />
          <time className="wall-clock">{timeOf(now, language)}</time>
        </span>
        <button type="button" className="button quiet icon wall-leave" title={words.shell.leaveWall} aria-label={words.shell.leaveWall} onClick={onLeave}>
          <Icon name="close" />
        </button>
      </header>
      <FeedNote feed={feed} />
      <div className="wall-body" ref={body}>
        {held.length === 0 && <p className="nothing">{feed.state === "connecting" ? words.live.waiting : words.live.nothing}</p>}
        {held.slice(page * size, page * size + size).map((one) => (
          <div key={one.key} className={one.left ? "wall-row left" : "wall-row"}>
            {one.changedAt !== undefined && now - one.changedAt < 3000 && <span key={one.version} className="flash" aria-hidden="true" />}
            <span className="wall-item">
              <span className="muted wall-type">{one.itemType}</span> {one.itemName}
            </span>
            <span className="wall-user">{one.userId}</span>
            <span className="wall-screen muted">{one.uiName}</span>
            <span className="wall-left">{one.left ? words.states.FREE : <Remaining endsAt={one.endsAt} now={now} />}</span>
          </div>
        ))}
      </div>
      {pages > 1 && <footer className="wall-foot muted">{words.live.page(page + 1, pages)}</footer>}
    </div>
  );
}

/** How high a row is, and how many fit: about ten on any screen, and never too small to be read. */
function useRowsThatFit() {
  const body = useRef<HTMLDivElement>(null);
  const [rows, setRows] = useState(8);
  useEffect(() => {
    const element = body.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const height = Math.max(48, innerHeight * 0.082);
      element.style.setProperty("--wall-row", `${height}px`);
      setRows(Math.max(1, Math.floor(element.clientHeight / height)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [body, rows] as const;
}
