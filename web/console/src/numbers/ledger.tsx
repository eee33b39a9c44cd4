import { useState } from "react";
import { useQuery } from "urql";
import { graphql, readFragment, type FragmentType } from "../graph";
import type { LotIdWhere } from "../graph/graphql";
import { Failure } from "../parts/failure";
import { shortTimeOf } from "../parts/time";
import { useSpoken, useWords } from "../words";

const ledgerQuery = graphql(`
  query Ledger($where: LotIdWhere!, $first: Int!) {
    lotIds(where: $where, first: $first) {
      nodes {
        lotId
        ...LedgerRow
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const pageSize = 20;

/** What was given out, to whom and for which request. */
export function Ledger({ rule }: { rule: string }) {
  const words = useWords().numbers;
  const [begins, setBegins] = useState("");
  const [user, setUser] = useState("");
  const [first, setFirst] = useState(pageSize);
  const where: LotIdWhere = { rule: { eq: rule }, ...(begins && { lotId: { startsWith: begins } }), ...(user && { userId: { startsWith: user } }) };
  const [{ data, error }, ask] = useQuery({ query: ledgerQuery, variables: { where, first } });
  return (
    <div className="ledger">
      <header className="row spread">
        <h3>{words.ledger}</h3>
        <span className="row">
          <input className="input" type="search" placeholder={words.idBegins} aria-label={words.idBegins} value={begins} onChange={(e) => setBegins(e.target.value)} />
          <input className="input" type="search" placeholder={words.userBegins} aria-label={words.userBegins} value={user} onChange={(e) => setUser(e.target.value)} />
        </span>
      </header>
      {error && <Failure error={error} again={() => ask({ requestPolicy: "network-only" })} />}
      {data && data.lotIds.nodes.length === 0 && <p className="nothing">{words.noIds}</p>}
      {data && data.lotIds.nodes.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={words.ledger}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{words.lotId}</th>
                <th scope="col">{words.givenTo}</th>
                <th scope="col">{words.request}</th>
                <th scope="col">{words.givenAt}</th>
              </tr>
            </thead>
            <tbody>
              {data.lotIds.nodes.map((one) => (
                <LedgerRow key={one.lotId} entry={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data?.lotIds.pageInfo.hasNextPage && (
        <button type="button" className="button small section-more" onClick={() => setFirst(first + pageSize)}>
          {words.moreRows}
        </button>
      )}
    </div>
  );
}

const ledgerRow = graphql(`
  fragment LedgerRow on LotId {
    lotId
    userId
    requestId
    issuedAt
    voided
    voidReason
    voidedBy
  }
`);

function LedgerRow({ entry }: { entry: FragmentType<typeof ledgerRow> }) {
  const { words, language } = useSpoken();
  const one = readFragment(ledgerRow, entry);
  return (
    <tr>
      <th scope="row" className="row-name">
        <span className={one.voided ? "void" : ""}>{one.lotId}</span>
        {one.voided && <div className="small muted">{words.numbers.voidBy(one.voidedBy ?? "", one.voidReason ?? "")}</div>}
      </th>
      <td>{one.userId}</td>
      <td className="muted mono">{one.requestId}</td>
      <td className="muted">{shortTimeOf(one.issuedAt, language, Date.now())}</td>
    </tr>
  );
}
