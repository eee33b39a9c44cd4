import { useCallback, useEffect, useRef, useState } from "react";
import {
  type HistoryOrder, type HistoryQuery, type HistoryWhere, type HoldOrder, type HoldsQuery, type HoldWhere, HistoryDocument, HoldsDocument,
} from "./graph/graphql.js";
import { answered, type Document, OccupyError, unreachable } from "./http.js";
import { useOccupyClient } from "./provider.js";

/** One row of the history: the item as it was from then on, and how it came to that. */
export type HistoryEntry = HistoryQuery["history"]["nodes"][number];
/** One grant of an item, from its start to its end. */
export type HoldEntry = HoldsQuery["holds"]["nodes"][number];

/** A list that is read page by page. */
export interface Pages<Row> {
  rows: readonly Row[];
  isLoading: boolean;
  error?: OccupyError;
  hasMore: boolean;
  /** Adds the next page. */
  more: () => void;
  /** Reads anew from the first page. */
  reload: () => void;
}

export interface PageOptions<Order> {
  orderBy?: Order[];
  /** Rows a page, at most 1,000; 50 if absent. */
  first?: number;
}

interface Page<Row> {
  nodes: Row[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** What has happened, the newest first. */
export function useHistory(where?: HistoryWhere, options: PageOptions<HistoryOrder> = {}): Pages<HistoryEntry> {
  return usePages(HistoryDocument, "history", { where, ...options });
}

/** Who held what, from when to when, and how it ended. */
export function useHolds(where?: HoldWhere, options: PageOptions<HoldOrder> = {}): Pages<HoldEntry> {
  return usePages(HoldsDocument, "holds", { where, ...options });
}

function usePages<Field extends string, Row, Variables extends object>(
  document: Document<Record<Field, Page<Row>>, Variables>, field: Field, variables: Variables,
): Pages<Row> {
  const client = useOccupyClient();
  const said = JSON.stringify(variables);
  const empty: Omit<Pages<Row>, "more" | "reload"> = { rows: [], isLoading: true, hasMore: false };
  const [list, setList] = useState(empty);
  const asked = useRef<AbortController>(undefined);
  const end = useRef<string | null>(null);
  const read = useCallback((anew: boolean) => {
    asked.current?.abort();
    const asking = (asked.current = new AbortController());
    const after = anew ? null : end.current;
    setList((old) => ({ ...old, isLoading: true, error: undefined }));
    const now: Variables = { ...(JSON.parse(said) as Variables), after };
    client.request(document, now, { signal: asking.signal }).then((data) => {
      if (asking.signal.aborted) return;
      const { nodes, pageInfo } = answered(data[field]);
      end.current = pageInfo.endCursor;
      setList((old) => ({ rows: anew ? nodes : [...old.rows, ...nodes], isLoading: false, hasMore: pageInfo.hasNextPage }));
    }).catch((e: unknown) => {
      if (asking.signal.aborted) return;
      const error = e instanceof OccupyError ? e : unreachable(e);
      setList((old) => ({ ...old, isLoading: false, error }));
    });
  }, [client, document, field, said]);
  useEffect(() => {
    setList({ rows: [], isLoading: true, hasMore: false });
    read(true);
    return () => asked.current?.abort();
  }, [read]);
  const more = useCallback(() => read(false), [read]);
  const reload = useCallback(() => read(true), [read]);
  return { ...list, more, reload };
}
