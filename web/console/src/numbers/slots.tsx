import { useCallback, useState } from "react";
import { useQuery } from "urql";
import { graphql, readFragment, type FragmentType } from "../graph";
import { Failure } from "../parts/failure";
import { useRefresh } from "../parts/refresh";
import { shortTimeOf, spanOf } from "../parts/time";
import { useSpoken, useWords } from "../words";
import { Section } from "../parts/section";

const slotsQuery = graphql(`
  query Slots($prefix: String!, $first: Int!) {
    slotLocks(prefix: $prefix, first: $first) {
      slotKey
      ...SlotRow
    }
  }
`);

const most = 200;

export function Slots() {
  const words = useWords().numbers;
  const [prefix, setPrefix] = useState("");
  const [{ data, error }, ask] = useQuery({ query: slotsQuery, variables: { prefix, first: most } });
  const again = useCallback(() => ask({ requestPolicy: "network-only" }), [ask]);
  useRefresh(again, 2000);
  const find = <input className="input" type="search" placeholder={words.keyBegins} aria-label={words.keyBegins} value={prefix} onChange={(e) => setPrefix(e.target.value)} />;
  return (
    <Section title={words.slots} note={words.slotsNote} beside={find}>
      {error && <Failure error={error} again={again} />}
      {data && data.slotLocks.length === 0 && <p className="nothing">{words.noSlots}</p>}
      {data && data.slotLocks.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={words.slots}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{words.key}</th>
                <th scope="col">{words.heldBy}</th>
                <th scope="col" className="number">{words.left}</th>
                <th scope="col">{words.lastRun}</th>
                <th scope="col">{words.nextRun}</th>
              </tr>
            </thead>
            <tbody>
              {data.slotLocks.map((one) => (
                <SlotRow key={one.slotKey} slot={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

const slotRow = graphql(`
  fragment SlotRow on SlotLock {
    slotKey
    lock {
      state
      userId
      session
      remainingSeconds
    }
    job {
      periodSeconds
      lastRunAt
      lastRunBy
      lastSeconds
      lastError
      nextDueAt
      overdue
    }
  }
`);

function SlotRow({ slot }: { slot: FragmentType<typeof slotRow> }) {
  const { words, language } = useSpoken();
  const { slotKey, lock, job } = readFragment(slotRow, slot);
  const held = lock.state === "OCCUPIED";
  return (
    <tr>
      <th scope="row" className="row-name mono">{slotKey}</th>
      <td>{held ? lock.userId : <span className="muted">{words.states[lock.state]}</span>}</td>
      <td className="number">{held && spanOf(lock.remainingSeconds)}</td>
      <td>
        {job && (
          <>
            {shortTimeOf(job.lastRunAt, language, Date.now())}{" "}
            <span className="muted small">{words.numbers.ranBy(job.lastRunBy, seconds(job.lastSeconds, language))}</span>
            {job.lastError && <div className="slot-error small">{job.lastError}</div>}
          </>
        )}
      </td>
      <td>
        {job && (job.overdue ? <strong className="tag overdue">{words.numbers.overdue}</strong> : shortTimeOf(job.nextDueAt, language, Date.now()))}
        {job && <span className="muted small"> {words.numbers.every(spanOf(job.periodSeconds))}</span>}
      </td>
    </tr>
  );
}

const seconds = (value: number, language: string) =>
  value < 1
    ? `${(1000 * value).toLocaleString(language, { maximumSignificantDigits: 2 })} ms`
    : `${value.toLocaleString(language, { maximumFractionDigits: 1 })} s`;
