import { useEffect, useState } from "react";
import { useQuery } from "urql";
import { useSession } from "../app/session";
import { graphql, readFragment, type FragmentType } from "../graph";
import type { ItemQuery } from "../graph/graphql";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { Icon } from "../parts/icon";
import { dayAndTimeOf } from "../parts/time";
import { useSpoken, useWords } from "../words";
import { ForceFree } from "./force-free";
import { HistoryList } from "./history-list";
import "./item.css";

const itemQuery = graphql(`
  query Item($itemType: String!, $itemName: String!, $first: Int!) {
    occupancy(itemType: $itemType, itemName: $itemName) {
      ...ItemFacts
      ...ForceFreeItem
      history(first: $first) {
        nodes {
          ...HistoryListEntry
        }
        pageInfo {
          hasNextPage
        }
      }
    }
  }
`);

const pageSize = 20;

type Props = {
  /** Type and name with a slash between them; names may have more of them. */
  itemKey: string;
  /** Another text whenever the live board has seen the item change. */
  seen: string;
  onClose: () => void;
};

/** One item: how it is, what has happened to it, and, for a supervisor, the end of its hold. */
export function ItemDrawer({ itemKey, seen, onClose }: Props) {
  const words = useWords().item;
  const slash = itemKey.indexOf("/");
  const [itemType, itemName] = [itemKey.slice(0, slash), itemKey.slice(slash + 1)];
  const [first, setFirst] = useState(pageSize);
  const [{ data, error, stale, fetching }, again] = useQuery({ query: itemQuery, variables: { itemType, itemName, first } });
  useEffect(() => again({ requestPolicy: "network-only" }), [seen, again]);
  const occupancy = data?.occupancy;
  return (
    <Dialog label={words.title(itemName)} className="drawer" onClose={onClose}>
      <header className="drawer-head">
        <h2>
          <span className="tag">{itemType}</span> {itemName}
        </h2>
        <button type="button" className="button quiet icon" aria-label={words.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="drawer-body" aria-busy={fetching || stale}>
        {error && <Failure error={error} again={() => again({ requestPolicy: "network-only" })} />}
        {occupancy && <ItemBody occupancy={occupancy} onMore={() => setFirst(first + pageSize)} onChanged={() => again({ requestPolicy: "network-only" })} />}
      </div>
    </Dialog>
  );
}

function ItemBody({ occupancy, onMore, onChanged }: { occupancy: ItemQuery["occupancy"]; onMore: () => void; onChanged: () => void }) {
  const words = useWords().item;
  const { may } = useSession();
  const { nodes, pageInfo } = occupancy.history;
  return (
    <>
      <Facts item={occupancy} />
      {may("SUPERVISOR") && <ForceFree item={occupancy} onChanged={onChanged} />}
      <section aria-label={words.history}>
        <h3>{words.history}</h3>
        {nodes.length === 0 ? <p className="muted">{words.never}</p> : <HistoryList entries={nodes} />}
        {pageInfo.hasNextPage && (
          <button type="button" className="button small" onClick={onMore}>
            {words.older}
          </button>
        )}
      </section>
    </>
  );
}

const itemFacts = graphql(`
  fragment ItemFacts on Occupancy {
    state
    userId
    uiName
    menuName
    startTime
    expireTime
    fencingToken
    version
    renewals
  }
`);

function Facts({ item }: { item: FragmentType<typeof itemFacts> }) {
  const { words, language } = useSpoken();
  const one = readFragment(itemFacts, item);
  const facts: [string, string | null][] = [
    [words.item.state, words.states[one.state]],
    [words.item.holder, one.userId],
    [words.item.screen, [one.uiName, one.menuName].filter(Boolean).join(" · ") || null],
    [words.item.since, one.startTime && dayAndTimeOf(one.startTime, language)],
    [words.item.until, one.expireTime && dayAndTimeOf(one.expireTime, language)],
    [words.item.token, one.fencingToken],
    [words.item.version, one.version],
    [words.item.renewals, one.renewals],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? "–"}</dd>
        </div>
      ))}
    </dl>
  );
}
