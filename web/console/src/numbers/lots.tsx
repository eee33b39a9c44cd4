import { useState } from "react";
import { useQuery } from "urql";
import { graphql, readFragment, type FragmentType } from "../graph";
import { Failure } from "../parts/failure";
import { useSpoken, useWords } from "../words";
import { Ledger } from "./ledger";
import { Section } from "../parts/section";
import { count } from "./sequences";

const rulesQuery = graphql(`
  query LotRules {
    lotRules {
      name
      timeZone
      ...LotRuleFacts
    }
  }
`);

/** The rules of LOT IDs; of the chosen one the days and the ledger. */
export function Lots() {
  const words = useWords().numbers;
  const [{ data, error }, ask] = useQuery({ query: rulesQuery });
  const [chosen, choose] = useState<string>();
  const rules = data?.lotRules ?? [];
  const rule = rules.find((one) => one.name === chosen) ?? rules[0];
  const tabs = rules.length > 1 && (
    <div className="row" role="group" aria-label={words.rules}>
      {rules.map((one) => (
        <button key={one.name} type="button" className="chip" aria-pressed={one.name === rule?.name} onClick={() => choose(one.name)}>
          {one.name}
        </button>
      ))}
    </div>
  );
  return (
    <Section title={words.rules} note={words.rulesNote} beside={tabs}>
      {error && <Failure error={error} again={() => ask({ requestPolicy: "network-only" })} />}
      {rule && (
        <div className="rule">
          <RuleFacts rule={rule} />
          <Days key={`days ${rule.name}`} rule={rule.name} timeZone={rule.timeZone} />
          <Ledger key={`ledger ${rule.name}`} rule={rule.name} />
        </div>
      )}
    </Section>
  );
}

const lotRuleFacts = graphql(`
  fragment LotRuleFacts on LotRule {
    name
    format
    timeZone
    shiftStart
    backDays
  }
`);

function RuleFacts({ rule }: { rule: FragmentType<typeof lotRuleFacts> }) {
  const words = useWords().numbers;
  const one = readFragment(lotRuleFacts, rule);
  return (
    <dl className="rule-facts">
      <div className="wide">
        <dt>{words.format}</dt>
        <dd className="mono">{one.format}</dd>
      </div>
      <div>
        <dt>{words.dayBegins}</dt>
        <dd>
          {one.shiftStart} <span className="muted">{one.timeZone}</span>
        </dd>
      </div>
      <div>
        <dt>{words.backDays}</dt>
        <dd>{one.backDays}</dd>
      </div>
    </dl>
  );
}

const daysQuery = graphql(`
  query LotDays($rule: String!, $from: String!, $to: String!) {
    lotDays(rule: $rule, from: $from, to: $to) {
      ...LotDayBar
    }
  }
`);

const daysShown = 14;

/** What each of the last days used. */
function Days({ rule, timeZone }: { rule: string; timeZone: string }) {
  const words = useWords().numbers;
  const [{ from, to }] = useState(() => lastDays(timeZone, daysShown));
  const [{ data, error }] = useQuery({ query: daysQuery, variables: { rule, from, to } });
  const days = readFragment(lotDayBar, data?.lotDays) ?? [];
  const top = Math.max(1, ...days.map((day) => Number(day.last)));
  return (
    <div>
      <h3>{words.days(daysShown)}</h3>
      {error && <Failure error={error} />}
      {data && days.length === 0 && <p className="muted">{words.noDays}</p>}
      <ul className="day-bars">
        {days.map((day) => (
          <LotDayBar key={day.date} day={day} top={top} />
        ))}
      </ul>
    </div>
  );
}

const lotDayBar = graphql(`
  fragment LotDayBar on LotDay {
    date
    last
    issued
    voided
    gaps {
      first
      last
    }
  }
`);

function LotDayBar({ day, top }: { day: { date: string; last: string; issued: string; voided: string; gaps: readonly { first: string; last: string }[] }; top: number }) {
  const { words, language } = useSpoken();
  return (
    <li>
      <span className="day-date">{new Date(`${day.date}T00:00`).toLocaleDateString(language, { month: "short", day: "numeric", weekday: "short" })}</span>
      <span className="day-bar" aria-hidden="true">
        <span style={{ width: `${(100 * Number(day.last)) / top}%` }} />
      </span>
      <span className="number strong">{count(day.issued)}</span>
      <span className="small muted">{day.voided !== "0" && words.numbers.voidedCount(count(day.voided))}</span>
      {day.gaps.length > 0 && <span className="note bad small">{words.numbers.gaps(day.gaps.map((gap) => `${gap.first}–${gap.last}`).join(", "))}</span>}
    </li>
  );
}

/** The plant's calendar of the last days, as yyyy-MM-dd. */
function lastDays(timeZone: string, days: number): { from: string; to: string } {
  const day = (back: number) => new Intl.DateTimeFormat("sv-SE", { timeZone }).format(Date.now() - back * 86_400_000);
  return { from: day(days - 1), to: day(0) };
}
