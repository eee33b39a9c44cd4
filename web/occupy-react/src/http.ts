// Requests over HTTP: queries and mutations, and subscriptions as server-sent events where no
// socket is to be had.

/** A document as text that knows its types: what graphql-codegen writes with documentMode "string". */
export interface Document<Result, Variables> {
  toString(): string;
  __apiType?: (variables: Variables) => Result;
}

/** An error as the service tells it; `extensions.code` says what it is. */
export interface ServiceError {
  message: string;
  extensions?: { code?: string; argument?: string; requestId?: string };
}

/** What a request ended with instead of data. */
export class OccupyError extends Error {
  override readonly name = "OccupyError";
  /** Such as BAD_USER_INPUT or FORBIDDEN; UNREACHABLE if nobody answered. */
  readonly code: string;
  readonly errors: readonly ServiceError[];

  constructor(errors: readonly ServiceError[]) {
    super(errors.map((e) => e.message).join("; "));
    this.errors = errors;
    this.code = errors[0]?.extensions?.code ?? "UNREACHABLE";
  }

  /** Whether the same request may well succeed a little later. */
  get passes(): boolean {
    return ["UNREACHABLE", "UNAVAILABLE", "OUTCOME_UNKNOWN", "INTERNAL"].includes(this.code);
  }
}

export function unreachable(cause: unknown): OccupyError {
  return new OccupyError([{ message: cause instanceof Error ? cause.message : "nobody answered" }]);
}

export interface Answer<Result> {
  data?: Result | null;
  errors?: readonly ServiceError[];
}

/** Takes the data out of an answer. Throws an OccupyError if there are errors. */
export function dataOf<Result>(answer: Answer<Result>): Result {
  if (answer.errors?.length || !answer.data) throw new OccupyError(answer.errors ?? []);
  return answer.data;
}

/** What a field answered. Throws an OccupyError if it is null, which it is only beside an error. */
export function answered<T>(field: T | null | undefined): T {
  if (field === null || field === undefined) throw new OccupyError([{ message: "nothing was answered" }]);
  return field;
}

export interface Endpoint {
  url: string;
  headers: () => Promise<Record<string, string>>;
  fetch: typeof fetch;
}

export interface RequestOptions {
  /** The page may be gone before it is answered. */
  keepalive?: boolean;
  signal?: AbortSignal;
}

async function post(to: Endpoint, query: string, variables: unknown, accept: string, o: RequestOptions): Promise<Response> {
  const headers = { ...(await to.headers()), "Content-Type": "application/json", Accept: accept };
  try {
    return await to.fetch(to.url, { method: "POST", headers, body: JSON.stringify({ query, variables }), ...o });
  } catch (e) {
    throw unreachable(e);
  }
}

async function answerOf<Result>(response: Response): Promise<Answer<Result>> {
  try {
    return (await response.json()) as Answer<Result>;
  } catch {
    throw unreachable(new Error(`HTTP status ${response.status}`)); // a proxy's page
  }
}

export async function request<Result, Variables>(
  to: Endpoint, document: Document<Result, Variables>, variables: Variables, o: RequestOptions = {},
): Promise<Result> {
  const accept = "application/graphql-response+json, application/json";
  return dataOf(await answerOf<Result>(await post(to, document.toString(), variables, accept, o)));
}

/**
 * Follows a subscription until it completes, and tells each answer. Throws an OccupyError if the
 * stream ends before that.
 */
export async function follow<Result, Variables>(
  to: Endpoint, document: Document<Result, Variables>, variables: Variables, signal: AbortSignal,
  opened: () => void, tell: (answer: Answer<Result>) => void,
): Promise<void> {
  const response = await post(to, document.toString(), variables, "text/event-stream", { signal });
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream") || !response.body) {
    tell(await answerOf<Result>(response));
    return;
  }
  opened();
  for await (const { event, data } of events(response.body)) {
    if (event === "complete") return;
    if (event === "next") tell(JSON.parse(data) as Answer<Result>);
  }
  throw unreachable(new Error("the stream has ended"));
}

async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        const field = (name: string) => lines.filter((l) => l.startsWith(`${name}:`)).map((l) => l.slice(name.length + 1).trim()).join("\n");
        if (field("event")) yield { event: field("event"), data: field("data") };
      }
    }
  } catch (e) {
    throw unreachable(e);
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
