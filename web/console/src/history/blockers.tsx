import { useState } from "react";
import { useQuery } from "urql";
import { graphql, readFragment } from "../graph";
import type { BlockerBarFragment, BlockerGroup } from "../graph/graphql";
import { Failure } from "../parts/failure";
import { spanOf } from "../parts/time";
import { useWords } from "../words";
import { rangeOf, type Question } from "./question";

const blockersQuery = graphql(`
  query Blockers($where: DenialWhere!, $by: BlockerGroup!) {
    topBlockers(where: $where, by: $by, first: 20) {
      ...BlockerBar
    }
  }
`);

const groups: readonly BlockerGroup[] = ["USER", "SCREEN", "ITEM"];

/** Who or what was in the way most often. */
export function Blockers({ question, now }: { question: Question; now: number }) {
  const words = useWords().history;
  const [by, setBy] = useState<BlockerGroup>("USER");
  const [{ data, error }, again] = useQuery({ query: blockersQuery, variables: { where: { at: rangeOf(question.period, now) }, by } });
  const blockers = readFragment(blockerBar, data?.topBlockers) ?? [];
  const top = Math.max(1, ...blockers.map((one) => Number(one.denials)));
  return (
    <section className="panel section" aria-label={words.tabs.blockers}>
      <header className="section-head">
        <p className="muted">{words.blockersNote}</p>
        <div className="row" role="group" aria-label={words.by}>
          {groups.map((one) => (
            <button key={one} type="button" className="chip" aria-pressed={one === by} onClick={() => setBy(one)}>
              {words.groups[one]}
            </button>
          ))}
        </div>
      </header>
      {error && <Failure error={error} again={() => again({ requestPolicy: "network-only" })} />}
      {data && blockers.length === 0 && <p className="nothing">{words.noBlockers}</p>}
      <ul className="bars">
        {blockers.map((one) => (
          <li key={nameOf(one)}>
            <BlockerBar blocker={one} share={Number(one.denials) / top} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const blockerBar = graphql(`
  fragment BlockerBar on Blocker {
    userId
    uiName
    itemType
    itemName
    denials
    attempts
    askers
    waitedSeconds
    gaveUp
  }
`);

const nameOf = (one: BlockerBarFragment) => one.userId ?? one.uiName ?? [one.itemType, one.itemName].filter(Boolean).join(" ");

function BlockerBar({ blocker, share }: { blocker: BlockerBarFragment; share: number }) {
  const words = useWords().history;
  const asked = words.asked(Number(blocker.denials), Number(blocker.attempts), Number(blocker.askers));
  return (
    <>
      <span className="bar-name">{nameOf(blocker) || "–"}</span>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${100 * share}%` }} />
      </span>
      <span className="small">
        {asked}
        <span className="muted">
          {" "}
          {words.waited(spanOf(blocker.waitedSeconds))} {blocker.gaveUp !== "0" && words.gaveUp(Number(blocker.gaveUp))}
        </span>
      </span>
    </>
  );
}
