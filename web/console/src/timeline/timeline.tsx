import { useCallback, useMemo, useState, type KeyboardEvent } from "react";
import { useQuery } from "urql";
import { useSearchParams } from "wouter";
import { ItemDrawer } from "../item/item-drawer";
import { graphql } from "../graph";
import type { HoldWhere } from "../graph/graphql";
import { Failure } from "../parts/failure";
import { useRefresh } from "../parts/refresh";
import { useSecond } from "../parts/time";
import { useWords } from "../words";
import { Lanes } from "./lanes";
import { edgesOf, pan, readStretch, spanNames, spans, writeStretch, zoom, type Stretch } from "./span";
import "./timeline.css";

const timelineQuery = graphql(`
  query Timeline($ended: HoldWhere!, $open: HoldWhere!) {
    ended: holds(where: $ended, first: 1000) {
      nodes {
        ...LaneHold
      }
      pageInfo {
        hasNextPage
      }
    }
    open: holds(where: $open, first: 1000) {
      nodes {
        ...LaneHold
      }
    }
  }
`);

/** Who held what when: items as lanes, holds as bars. */
export default function Timeline() {
  const words = useWords();
  const now = useSecond();
  const [search, setSearch] = useSearchParams();
  const stretch = readStretch(search);
  const put = (change: (search: URLSearchParams) => void) =>
    setSearch(
      (before) => {
        change(before);
        return before;
      },
      { replace: true },
    );
  const go = (next: Stretch) => put((params) => writeStretch(next, Date.now(), params));
  const [item, user, open] = [search.get("item") ?? "", search.get("user") ?? "", search.get("open")];
  const { data, error, again, more } = useHoldsOf(stretch, item, user);
  const { from, to } = edgesOf(stretch, now);
  const keys = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement) return;
    if (event.key === "ArrowLeft") go(pan(stretch, -0.25, now));
    else if (event.key === "ArrowRight") go(pan(stretch, 0.25, now));
    else if (event.key === "+") go(zoom(stretch, -1));
    else if (event.key === "-") go(zoom(stretch, 1));
  };
  return (
    <div className="timeline" onKeyDown={keys}>
      <header className="page-head">
        <h1>{words.views.timeline}</h1>
        <div className="row">
          <input className="input" type="search" placeholder={words.live.searchItem} aria-label={words.live.searchItem} value={item} onChange={(e) => put((params) => params.set("item", e.target.value))} />
          <input className="input" type="search" placeholder={words.live.searchUser} aria-label={words.live.searchUser} value={user} onChange={(e) => put((params) => params.set("user", e.target.value))} />
        </div>
      </header>
      <div className="row spread">
        <div className="row" role="group" aria-label={words.timeline.zoom}>
          {spanNames.map((span) => (
            <button key={span} type="button" className="chip" aria-pressed={span === stretch.span} onClick={() => go({ ...stretch, span })}>
              {words.timeline.spans[span]}
            </button>
          ))}
        </div>
        <div className="row">
          <button type="button" className="button small" onClick={() => go(pan(stretch, -0.5, now))}>
            ← {words.timeline.earlier}
          </button>
          <button type="button" className="button small" disabled={stretch.end === undefined} onClick={() => go(pan(stretch, 0.5, now))}>
            {words.timeline.later} →
          </button>
          <button type="button" className="chip" aria-pressed={stretch.end === undefined} onClick={() => go({ span: stretch.span })}>
            {words.feed.live}
          </button>
        </div>
      </div>
      {error && <Failure error={error} again={again} />}
      {more && <p className="note">{words.timeline.more}</p>}
      {data && <Lanes holds={data} from={from} to={to} now={now} onOpen={(key) => put((params) => params.set("open", key))} />}
      {open && <ItemDrawer itemKey={open} seen="" onClose={() => put((params) => params.delete("open"))} />}
    </div>
  );
}

/** The holds that any part of the stretch saw; those of programs only if somebody asks for them by name. */
function useHoldsOf(stretch: Stretch, item: string, user: string) {
  const [asked, setAsked] = useState(() => Date.now());
  const variables = useMemo(() => {
    const { from, to } = edgesOf(stretch, asked);
    const narrow: HoldWhere[] = [
      { from: { lt: new Date(to).toISOString() } },
      { itemType: { ne: "SLOT" } },
      ...(item.trim() ? [{ itemName: { startsWith: item.trim() } }] : []),
      ...(user.trim() ? [{ userId: { startsWith: user.trim() } }] : []),
    ];
    // To the end of what is known: a hold that is seen may have ended later.
    const ended: HoldWhere = { to: { gte: new Date(from).toISOString(), lt: new Date(Math.max(asked, to) + 60_000).toISOString() }, and: narrow };
    return { ended, open: { open: true, and: narrow } };
  }, [stretch.span, stretch.end, asked, item, user]);
  const [{ data, error }] = useQuery({ query: timelineQuery, variables });
  const again = useCallback(() => setAsked(Date.now()), []);
  useRefresh(again, stretch.end === undefined && spans[stretch.span] <= spans["4h"] ? 2000 : 15_000);
  const all = useMemo(() => data && [...data.ended.nodes, ...data.open.nodes], [data]);
  return { data: all, error, again, more: data?.ended.pageInfo.hasNextPage ?? false };
}
