import { useState, type FormEvent } from "react";
import { Icon } from "../parts/icon";
import { useWords } from "../words";
import { ConditionFields } from "./condition";
import { rangeOf, spans, type Condition, type Period, type Question, type Span } from "./question";

type Props = { question: Question; periodOnly: boolean; onAsk: (question: Question) => void };

const spanNames = Object.keys(spans) as Span[];

/** Puts a question together; it is asked when one says so, since some take a while. */
export function Builder({ question, periodOnly, onAsk }: Props) {
  const words = useWords().history;
  const [draft, setDraft] = useState(question);
  const change = (index: number, next: Condition | undefined) =>
    setDraft({ ...draft, conditions: draft.conditions.flatMap((one, i) => (i !== index ? [one] : next ? [next] : [])) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk(draft);
  };
  return (
    <form className="panel builder" onSubmit={submit} aria-label={words.question}>
      <PeriodFields period={draft.period} onChange={(period) => onAsk({ ...draft, period })} onEdit={(period) => setDraft({ ...draft, period })} />
      {!periodOnly && (
        <>
          {draft.conditions.map((condition, index) => (
            <div className="builder-line" key={index}>
              <span className="builder-joint muted">{index === 0 ? words.where : draft.any ? words.or : words.and}</span>
              <ConditionFields condition={condition} onChange={(next) => change(index, next)} onRemove={() => change(index, undefined)} />
            </div>
          ))}
          <div className="row builder-end">
            <button type="button" className="button small" onClick={() => setDraft({ ...draft, conditions: [...draft.conditions, { field: "itemName", operator: "startsWith", value: "" }] })}>
              <Icon name="plus" size={16} /> {words.addCondition}
            </button>
            {draft.conditions.length > 1 && (
              <label className="row small">
                <input type="checkbox" checked={draft.any} onChange={(e) => setDraft({ ...draft, any: e.target.checked })} /> {words.anyHolds}
              </label>
            )}
            <button className="button primary small">{words.ask}</button>
          </div>
        </>
      )}
    </form>
  );
}

type PeriodProps = { period: Period; onChange: (period: Period) => void; onEdit: (period: Period) => void };

function PeriodFields({ period, onChange, onEdit }: PeriodProps) {
  const words = useWords().history;
  const between = "from" in period;
  const range = rangeOf(period, Date.now());
  const edit = (change: { from?: string; to?: string }) => onEdit({ from: range.gte, to: range.lt, ...change });
  return (
    <div className="row" role="group" aria-label={words.period}>
      {spanNames.map((span) => (
        <button key={span} type="button" className="chip" aria-pressed={!between && period.last === span} onClick={() => onChange({ last: span })}>
          {words.spans[span]}
        </button>
      ))}
      <button type="button" className="chip" aria-pressed={between} onClick={() => edit({})}>
        {words.between}
      </button>
      {between && (
        <span className="row">
          <InstantField label={words.from} value={range.gte} onChange={(from) => edit({ from })} />
          <InstantField label={words.to} value={range.lt} onChange={(to) => edit({ to })} />
          <button className="button small">{words.ask}</button>
        </span>
      )}
    </div>
  );
}

/** An instant by the browser's clock and zone. */
export function InstantField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const local = new Date(Date.parse(value) - new Date(value).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  return (
    <input
      className="input instant"
      type="datetime-local"
      step="1"
      aria-label={label}
      defaultValue={local}
      onChange={(e) => {
        const time = new Date(e.target.value);
        if (!Number.isNaN(time.getTime())) onChange(time.toISOString());
      }}
    />
  );
}
