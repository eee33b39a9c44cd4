import type { Event, HistoryWhere, HoldWhere } from "../graph/graphql";

/** What one asks the history. It stands in the address bar, so that it can be sent to a colleague. */
export type Question = { period: Period; any: boolean; conditions: readonly Condition[] };

export type Period = { last: Span } | { from: string; to: string };

export const spans = { "1h": 1, "8h": 8, "24h": 24, "7d": 7 * 24, "31d": 31 * 24 } as const;
export type Span = keyof typeof spans;

export const textFields = ["itemType", "itemName", "userId", "uiName", "menuName", "session", "comment"] as const;
export const fields = [...textFields, "event", "heldSeconds"] as const;
export type TextField = (typeof textFields)[number];
export type Field = (typeof fields)[number];

export const textOperators = ["eq", "ne", "in", "startsWith", "contains"] as const;
export type TextOperator = (typeof textOperators)[number];
export type Operator = TextOperator | "gte" | "lte";

export type Condition = { field: Field; operator: Operator; value: string };

export const events: readonly Event[] = ["OCCUPIED", "REENTERED", "TAKEN_OVER", "TRANSFERRED", "FREED", "WINDOW_CLOSED", "CONNECTION_LOST", "FORCED", "EXPIRED", "MAX_HOLD"];

export const isText = (field: Field): field is TextField => textFields.some((one) => one === field);

export function operatorsOf(field: Field): readonly Operator[] {
  if (field === "event") return ["in"];
  return field === "heldSeconds" ? ["gte", "lte"] : textOperators;
}

/** readQuestion takes what it understands of an address; what it does not is as if it were not there. */
export function readQuestion(search: URLSearchParams): Question {
  const last = search.get("last");
  const [from, to] = [instant(search.get("from")), instant(search.get("to"))];
  const span = Object.keys(spans).find((one): one is Span => one === last) ?? "24h";
  return {
    period: from && to ? { from, to } : { last: span },
    any: search.get("any") === "1",
    conditions: search.getAll("w").flatMap(readCondition),
  };
}

function readCondition(text: string): Condition[] {
  const [name, op, ...rest] = text.split("~");
  const field = fields.find((one) => one === name);
  const operator = field && operatorsOf(field).find((one) => one === op);
  return field && operator ? [{ field, operator, value: rest.join("~") }] : [];
}

function instant(text: string | null): string | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export function writeQuestion({ period, any, conditions }: Question, search: URLSearchParams): void {
  for (const name of ["last", "from", "to", "any", "w"]) search.delete(name);
  if ("last" in period) search.set("last", period.last);
  else {
    search.set("from", period.from);
    search.set("to", period.to);
  }
  if (any) search.set("any", "1");
  for (const { field, operator, value } of conditions) if (value.trim()) search.append("w", [field, operator, value.trim()].join("~"));
}

/** rangeOf is the period as instants; one that is relative ends now. */
export function rangeOf(period: Period, now: number): { gte: string; lt: string } {
  if ("from" in period) return { gte: period.from, lt: period.to };
  return { gte: new Date(now - spans[period.last] * 3_600_000).toISOString(), lt: new Date(now).toISOString() };
}

/** whereOf says it as the gateway wants it. */
export function whereOf({ period, any, conditions }: Question, now: number): HistoryWhere {
  const all = conditions.map(oneOf).filter((one) => one !== undefined);
  return { at: rangeOf(period, now), ...(all.length > 0 && (any ? { or: all } : { and: all })) };
}

/** holdWhereOf asks the same of holds, by when they ended. */
export function holdWhereOf({ period, any, conditions }: Question, now: number): HoldWhere {
  const all = conditions.map(oneOf).flatMap((one): HoldWhere[] => {
    if (!one) return [];
    const { event, heldSeconds, itemType, itemName, userId, uiName, menuName, session, comment } = one;
    if (event) return [{ endReason: event }];
    return [heldSeconds ? { seconds: heldSeconds } : { itemType, itemName, userId, uiName, menuName, session, comment }];
  });
  return { to: rangeOf(period, now), ...(all.length > 0 && (any ? { or: all } : { and: all })) };
}

function oneOf({ field, operator, value }: Condition): HistoryWhere | undefined {
  const text = value.trim();
  if (text === "") return undefined;
  const list = text.split(",").map((one) => one.trim()).filter(Boolean);
  if (field === "event") return { event: { in: events.filter((one) => list.includes(one)) } };
  if (field === "heldSeconds") {
    const seconds = Number.parseInt(text, 10);
    return Number.isNaN(seconds) ? undefined : { heldSeconds: { [operator]: seconds } };
  }
  return { [field]: { [operator]: operator === "in" ? list : text } };
}
