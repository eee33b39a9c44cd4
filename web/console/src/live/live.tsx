import { useMemo } from "react";
import { useWall } from "../app/wall";
import { ItemDrawer } from "../item/item-drawer";
import { useSecond } from "../parts/time";
import { useWords } from "../words";
import { useBoard } from "./board";
import { FeedNote, FeedState } from "./feed-state";
import { Filters } from "./filters";
import { arrange, summarize, type Column } from "./held";
import { useNarrowing } from "./narrowing";
import { HeldTable } from "./table";
import { Wall } from "./wall";
import "./live.css";

/** Who holds what now. */
export function Live() {
  const words = useWords().live;
  const { held, feed } = useBoard();
  const now = useSecond();
  const { narrowed, sort, open, put } = useNarrowing();
  const [wall, setWall] = useWall();
  const summary = useMemo(() => summarize(held, narrowed.types, now), [held, narrowed.types, now]);
  const shown = useMemo(() => arrange(held, narrowed, sort), [held, narrowed, sort]);
  const opened = open ? held.find((one) => one.key === open) : undefined;
  const seen = opened ? `${opened.version} ${opened.left ?? false}` : "";
  if (wall) return <Wall held={shown} summary={summary} feed={feed} now={now} onLeave={() => setWall(false)} />;

  const sortBy = (column: Column) => put({ sort: sort.column === column && !sort.down ? `-${column}` : column });
  const narrow = narrowed.types.length > 0 || narrowed.item !== "" || narrowed.user !== "" || narrowed.screen !== "";
  return (
    <div className="live-page">
      <header className="live-head">
        <div className="live-count">
          <h1>
            <span className="live-number">{summary.held.toLocaleString()}</span> {words.heldWord}
          </h1>
          {summary.soon > 0 && <span className="live-soon">{words.soon(summary.soon)}</span>}
          {narrow && <span className="muted">{words.shown(shown.length, summary.held)}</span>}
        </div>
        <FeedState feed={feed} onWall={() => setWall(true)} />
      </header>
      <Filters summary={summary} narrowed={narrowed} narrow={narrow} put={put} />
      <FeedNote feed={feed} />
      <HeldTable
        held={shown}
        now={now}
        sort={sort}
        onSort={sortBy}
        onOpen={(one) => put({ open: one.key })}
        stale={feed.state !== "live"}
        empty={feed.state === "connecting" ? words.waiting : narrow ? words.nothingMatches : words.nothing}
      />
      {open && <ItemDrawer itemKey={open} seen={seen} onClose={() => put({ open: "" })} />}
    </div>
  );
}
