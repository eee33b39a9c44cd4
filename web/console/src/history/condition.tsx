import { Icon } from "../parts/icon";
import { useWords } from "../words";
import { events, fields, isText, operatorsOf, type Condition } from "./question";

type Props = { condition: Condition; onChange: (next: Condition) => void; onRemove: () => void };

/** One condition: a field, how it is compared, and with what. */
export function ConditionFields({ condition, onChange, onRemove }: Props) {
  const words = useWords();
  const { field, operator, value } = condition;
  const turnTo = (name: string) => {
    const next = fields.find((one) => one === name) ?? field;
    const first = operatorsOf(next)[0] ?? operator;
    onChange({ field: next, operator: operatorsOf(next).includes(operator) ? operator : first, value: isText(next) === isText(field) && isText(next) ? value : "" });
  };
  return (
    <>
      <select className="input" aria-label={words.history.field} value={field} onChange={(e) => turnTo(e.target.value)}>
        {fields.map((one) => (
          <option key={one} value={one}>
            {words.history.fields[one]}
          </option>
        ))}
      </select>
      {operatorsOf(field).length > 1 && (
        <select
          className="input"
          aria-label={words.history.comparison}
          value={operator}
          onChange={(e) => onChange({ ...condition, operator: operatorsOf(field).find((one) => one === e.target.value) ?? operator })}
        >
          {operatorsOf(field).map((one) => (
            <option key={one} value={one}>
              {words.history.operators[one]}
            </option>
          ))}
        </select>
      )}
      {field === "event" ? (
        <EventChips value={value} onChange={(next) => onChange({ ...condition, value: next })} />
      ) : (
        <input
          className="input"
          autoFocus={value === ""}
          aria-label={words.history.value}
          inputMode={field === "heldSeconds" ? "numeric" : "text"}
          placeholder={operator === "in" ? words.history.listHint : ""}
          value={value}
          onChange={(e) => onChange({ ...condition, value: e.target.value })}
        />
      )}
      <button type="button" className="button quiet icon" aria-label={words.history.removeCondition} onClick={onRemove}>
        <Icon name="close" size={16} />
      </button>
    </>
  );
}

function EventChips({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const words = useWords();
  const chosen = value.split(",");
  return (
    <span className="row event-chips" role="group" aria-label={words.history.fields.event}>
      {events.map((event) => (
        <button key={event} type="button" className="chip small" aria-pressed={chosen.includes(event)} onClick={() => onChange(events.filter((one) => (one === event) !== chosen.includes(one)).join(","))}>
          <span className={`dot ${event}`} aria-hidden="true" /> {words.events[event]}
        </button>
      ))}
    </span>
  );
}
