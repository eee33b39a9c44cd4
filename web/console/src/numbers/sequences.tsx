import { useCallback, useState } from "react";
import { useQuery } from "urql";
import { graphql, readFragment, type FragmentType } from "../graph";
import { Failure } from "../parts/failure";
import { useRefresh } from "../parts/refresh";
import { shortTimeOf } from "../parts/time";
import { useSpoken, useWords } from "../words";
import { Section } from "../parts/section";

const sequencesQuery = graphql(`
  query Sequences($first: Int!) {
    sequences(first: $first) {
      nodes {
        name
        ...SequenceRow
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

const pageSize = 50;

export function Sequences() {
  const words = useWords().numbers;
  const [first, setFirst] = useState(pageSize);
  const [{ data, error }, ask] = useQuery({ query: sequencesQuery, variables: { first } });
  const again = useCallback(() => ask({ requestPolicy: "network-only" }), [ask]);
  useRefresh(again, 5000);
  return (
    <Section title={words.sequences} note={words.sequencesNote}>
      {error && <Failure error={error} again={again} />}
      {data && data.sequences.nodes.length === 0 && <p className="nothing">{words.noSequences}</p>}
      {data && data.sequences.nodes.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={words.sequences}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{words.name}</th>
                <th scope="col" className="number">{words.value}</th>
                <th scope="col" className="number">{words.epoch}</th>
                <th scope="col" className="number">{words.cache}</th>
                <th scope="col" className="number">{words.lost}</th>
                <th scope="col">{words.lastDrawn}</th>
              </tr>
            </thead>
            <tbody>
              {data.sequences.nodes.map((one) => (
                <SequenceRow key={one.name} sequence={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data?.sequences.pageInfo.hasNextPage && (
        <button type="button" className="button small section-more" onClick={() => setFirst(first + pageSize)}>
          {words.moreRows}
        </button>
      )}
    </Section>
  );
}

const sequenceRow = graphql(`
  fragment SequenceRow on Sequence {
    name
    value
    epoch
    cacheSize
    lost
    updatedBy
    updatedAt
    blocks {
      gateway
      first
      last
    }
  }
`);

function SequenceRow({ sequence }: { sequence: FragmentType<typeof sequenceRow> }) {
  const { words, language } = useSpoken();
  const one = readFragment(sequenceRow, sequence);
  return (
    <tr>
      <th scope="row" className="row-name">{one.name}</th>
      <td className="number strong">{count(one.value)}</td>
      <td className="number">{one.epoch}</td>
      <td className="number">
        {one.cacheSize === 0 ? <span className="muted">–</span> : one.cacheSize}
        {one.blocks.map((block) => (
          <div key={block.first} className="small muted">
            {words.numbers.block(block.gateway, block.first, block.last)}
          </div>
        ))}
      </td>
      <td className="number">{one.lost === "0" ? <span className="muted">0</span> : count(one.lost)}</td>
      <td className="muted">
        {one.updatedAt && shortTimeOf(one.updatedAt, language, Date.now())} {one.updatedBy}
      </td>
    </tr>
  );
}

/** A count of 64 bits, with the marks of thousands. */
export const count = (long: string): string => BigInt(long).toLocaleString();
