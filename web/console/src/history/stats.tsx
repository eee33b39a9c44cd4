import { useQuery } from "urql";
import { graphql, readFragment, type FragmentType } from "../graph";
import type { HoldWhere, StatsBarFragment } from "../graph/graphql";
import { Failure } from "../parts/failure";
import { Section } from "../parts/section";
import { spanOf } from "../parts/time";
import { useSpoken, useWords } from "../words";

const statsQuery = graphql(`
  query HistoryStats($where: HoldWhere!) {
    all: historyStats(where: $where) {
      rows {
        ...StatsTotals
      }
    }
    hours: historyStats(where: $where, groupBy: [HOUR], orderBy: { by: GROUP, direction: ASC }) {
      rows {
        ...StatsBar
      }
    }
    shifts: historyStats(where: $where, groupBy: [SHIFT], orderBy: { by: GROUP, direction: ASC }) {
      rows {
        ...StatsBar
      }
    }
    screens: historyStats(where: $where, groupBy: [UI], first: 12) {
      rows {
        ...StatsBar
      }
    }
  }
`);

const statsBar = graphql(`
  fragment StatsBar on HoldStats {
    hour
    shift
    uiName
    holds
    expired
    expiryRate
  }
`);

/** The holds that ended in the period: how many, how long, when, and how many of them ran out. */
export function Stats({ where }: { where: HoldWhere }) {
  const words = useWords().history;
  const [{ data, error, fetching }, again] = useQuery({ query: statsQuery, variables: { where } });
  if (error) return <Failure error={error} again={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return <p className="nothing">{words.counting}</p>;
  const totals = data.all.rows[0];
  if (!totals) return <p className="panel nothing">{words.nothing}</p>;
  const hours = new Map(readFragment(statsBar, data.hours.rows).map((row) => [row.hour, Number(row.holds)]));
  return (
    <div className="stats" aria-busy={fetching}>
      <Totals totals={totals} />
      <Section title={words.byHour}>
        <Hours counts={Array.from({ length: 24 }, (_, hour) => hours.get(hour) ?? 0)} />
      </Section>
      <div className="stats-pair">
        <Section title={words.byShift}>
          <Bars rows={readFragment(statsBar, data.shifts.rows)} name={(row) => words.shift(row.shift ?? 0)} share={byHolds} />
        </Section>
        <Section title={words.byScreen}>
          <Bars rows={readFragment(statsBar, data.screens.rows)} name={(row) => row.uiName ?? "–"} share={(row) => row.expiryRate} />
        </Section>
      </div>
    </div>
  );
}

const statsTotals = graphql(`
  fragment StatsTotals on HoldStats {
    holds
    p50Seconds
    p95Seconds
    expiryRate
    forcedRate
    denials
    minutesLost
  }
`);

function Totals({ totals }: { totals: FragmentType<typeof statsTotals> }) {
  const { words, language } = useSpoken();
  const all = readFragment(statsTotals, totals);
  const number = (value: string) => Number(value).toLocaleString(language);
  const facts: [string, string][] = [
    [words.history.holds, number(all.holds)],
    [words.history.median, spanOf(all.p50Seconds)],
    [words.history.longest, spanOf(all.p95Seconds)],
    [words.history.ranOut, percent(all.expiryRate, language)],
    [words.history.forced, percent(all.forcedRate, language)],
    [words.history.refused, number(all.denials)],
    [words.history.lost, spanOf(all.minutesLost * 60)],
  ];
  return (
    <dl className="panel totals">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The hours of the day by the plant's clock. */
function Hours({ counts }: { counts: readonly number[] }) {
  const top = Math.max(1, ...counts);
  return (
    <ol className="hours">
      {counts.map((count, hour) => (
        <li key={hour} title={`${hour}: ${count}`}>
          <span className="hours-bar" style={{ height: `${(100 * count) / top}%` }} />
          <span className="hours-name">{hour}</span>
          <span className="hidden">: {count}</span>
        </li>
      ))}
    </ol>
  );
}

type BarsProps = { rows: readonly StatsBarFragment[]; name: (row: StatsBarFragment) => string; share: (row: StatsBarFragment, all: readonly StatsBarFragment[]) => number };

const byHolds = (row: StatsBarFragment, all: readonly StatsBarFragment[]) => Number(row.holds) / Math.max(1, ...all.map((one) => Number(one.holds)));

function Bars({ rows, name, share }: BarsProps) {
  const { words, language } = useSpoken();
  return (
    <ul className="bars">
      {rows.map((row) => (
        <li key={name(row)}>
          <span className="bar-name">{name(row)}</span>
          <span className="bar" aria-hidden="true">
            <span style={{ width: `${100 * share(row, rows)}%` }} />
          </span>
          <span className="small">{words.history.ofHolds(Number(row.holds), Number(row.expired), percent(row.expiryRate, language))}</span>
        </li>
      ))}
    </ul>
  );
}

const percent = (share: number, language: string) => share.toLocaleString(language, { style: "percent", maximumFractionDigits: 1 });
