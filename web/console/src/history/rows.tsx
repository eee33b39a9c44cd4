import { useEffect, useState } from "react";
import { useQuery } from "urql";
import { useSession } from "../app/session";
import { graphql, readFragment, type FragmentType } from "../graph";
import type { HistoryWhere } from "../graph/graphql";
import { Failure } from "../parts/failure";
import { dayAndTimeOf, spanOf } from "../parts/time";
import { useSpoken, useWords } from "../words";
import { Download } from "./download";

const rowsQuery = graphql(`
  query HistoryRows($where: HistoryWhere!, $first: Int!) {
    history(where: $where, first: $first) {
      nodes {
        id
        ...HistoryRow
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const countQuery = graphql(`
  query HistoryCount($where: HistoryWhere!) {
    history(where: $where, first: 1) {
      totalCount
    }
  }
`);

const pageSize = 100;
const most = 1000;

/** What has happened, row by row. */
export function Rows({ where, onOpen }: { where: HistoryWhere; onOpen: (key: string) => void }) {
  const words = useWords().history;
  const { may } = useSession();
  const [first, setFirst] = useState(pageSize);
  useEffect(() => setFirst(pageSize), [where]);
  const [{ data, error, fetching }, again] = useQuery({ query: rowsQuery, variables: { where, first } });
  const [counted] = useQuery({ query: countQuery, variables: { where } });
  const total = counted.data?.history.totalCount;
  if (error) return <Failure error={error} again={() => again({ requestPolicy: "network-only" })} />;
  const rows = data?.history.nodes;
  return (
    <section className="panel section" aria-label={words.tabs.rows} aria-busy={fetching}>
      <header className="rows-count row spread">
        <span>{total === undefined || total === null ? words.counting : words.found(total)}</span>
        {(may("ANALYST") || may("SUPERVISOR")) && <Download where={where} />}
      </header>
      {rows?.length === 0 && <p className="nothing">{words.nothing}</p>}
      {rows && rows.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={words.tabs.rows}>
          <table className="table wide">
            <thead>
              <tr>
                <th scope="col">{words.at}</th>
                <th scope="col">{words.event}</th>
                <th scope="col">{words.item}</th>
                <th scope="col">{words.user}</th>
                <th scope="col">{words.screen}</th>
                <th scope="col" className="number">{words.lasted}</th>
                <th scope="col">{words.comment}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <HistoryRow key={one.id} entry={one} onOpen={onOpen} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data?.history.pageInfo.hasNextPage && (
        <div className="section-more">
          {first < most ? (
            <button type="button" className="button small" disabled={fetching} onClick={() => setFirst(Math.min(most, first + 3 * pageSize))}>
              {words.more}
            </button>
          ) : (
            <span className="muted">{words.narrow(most)}</span>
          )}
        </div>
      )}
    </section>
  );
}

const historyRow = graphql(`
  fragment HistoryRow on HistoryEntry {
    at
    event
    state
    itemType
    itemName
    userId
    uiName
    startTime
    expireTime
    actor
    comment
  }
`);

function HistoryRow({ entry, onOpen }: { entry: FragmentType<typeof historyRow>; onOpen: (key: string) => void }) {
  const { words, language } = useSpoken();
  const one = readFragment(historyRow, entry);
  const end = one.state === "FREE" ? one.at : one.state === "EXPIRED" ? one.expireTime : undefined;
  return (
    <tr>
      <td className="nowrap">{dayAndTimeOf(one.at, language)}</td>
      <td className="nowrap">
        <span className={`dot ${one.event}`} aria-hidden="true" /> {words.events[one.event]}
      </td>
      <td>
        <button type="button" className="link" onClick={() => onOpen(`${one.itemType}/${one.itemName}`)}>
          <span className="tag">{one.itemType}</span> {one.itemName}
        </button>
      </td>
      <td>
        {one.userId}
        {one.actor !== one.userId && <div className="small muted">{words.item.by(one.actor)}</div>}
      </td>
      <td>{one.uiName}</td>
      <td className="number">{end && spanOf((Date.parse(end) - Date.parse(one.startTime)) / 1000)}</td>
      <td className="muted">{one.comment}</td>
    </tr>
  );
}
