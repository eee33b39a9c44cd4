import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState, useSyncExternalStore, type KeyboardEvent } from "react";
import { shortTimeOf } from "../parts/time";
import { useSpoken } from "../words";
import type { Column, Held, Sort } from "./held";
import { Remaining } from "./remaining";

type Props = { held: readonly Held[]; now: number; sort: Sort; onSort: (column: Column) => void; onOpen: (one: Held) => void; stale: boolean; empty: string };

const columns: readonly Column[] = ["item", "holder", "screen", "since", "remaining"];

const narrowScreen = matchMedia("(max-width: 719px)");

function useNarrowScreen(): boolean {
  return useSyncExternalStore(
    (tell) => {
      narrowScreen.addEventListener("change", tell);
      return () => narrowScreen.removeEventListener("change", tell);
    },
    () => narrowScreen.matches,
  );
}

/** A table of thousands of rows, of which those are there that one sees. Arrow keys go from row to row. */
export function HeldTable({ held, now, sort, onSort, onOpen, stale, empty }: Props) {
  const words = useSpoken().words.live;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const height = useNarrowScreen() ? 64 : 46;
  const virtual = useVirtualizer({ count: held.length, getScrollElement: () => scroller.current, estimateSize: () => height, overscan: 8, getItemKey: (i) => held[i]?.key ?? i });

  const go = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -held.length, End: held.length }[event.key];
    if (step === undefined || !(event.target instanceof HTMLElement) || !event.target.dataset.index) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(held.length - 1, Number(event.target.dataset.index) + step));
    setActive(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`button[data-index="${next}"]`)?.focus());
  };
  return (
    <div className={stale ? "board panel stale" : "board panel"} role="table" aria-rowcount={held.length + 1} aria-label={words.held(held.length)} onKeyDown={go}>
      <div className="board-body" ref={scroller} role="presentation">
        <div className="board-row board-head" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <span key={column} role="columnheader" className={`cell-${column}`} aria-sort={sort.column !== column ? "none" : sort.down ? "descending" : "ascending"}>
              <button type="button" onClick={() => onSort(column)} title={words.sortedBy(words[column])}>
                {words[column]}
                {sort.column === column && <span aria-hidden="true">{sort.down ? " ↓" : " ↑"}</span>}
              </button>
            </span>
          ))}
        </div>
        {held.length === 0 && <p className="nothing">{empty}</p>}
        <div className="board-rows" role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const one = held[index];
            if (!one) return null;
            const tabbable = index === Math.min(active, held.length - 1);
            return <Row key={key} one={one} index={index} top={start} height={height} now={now} tabbable={tabbable} onOpen={onOpen} />;
          })}
        </div>
      </div>
    </div>
  );
}

type RowProps = { one: Held; index: number; top: number; height: number; now: number; tabbable: boolean; onOpen: (one: Held) => void };

function Row({ one, index, top, height, now, tabbable, onOpen }: RowProps) {
  const { words, language } = useSpoken();
  return (
    <div className={one.left ? "board-row left" : "board-row"} role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)`, height }} onClick={() => onOpen(one)}>
      {one.changedAt !== undefined && now - one.changedAt < 3000 && <span key={one.version} className="flash" aria-hidden="true" />}
      <span role="cell" className="cell-item">
        <span className="tag">{one.itemType}</span>
        <button type="button" data-index={index} tabIndex={tabbable ? 0 : -1} className="board-name">
          {one.itemName}
        </button>
      </span>
      <span role="cell" className="cell-holder">{one.userId}</span>
      <span role="cell" className="cell-screen">
        {one.uiName}
        {one.menuName && <span className="muted"> {one.menuName}</span>}
      </span>
      <span role="cell" className="cell-since muted">{shortTimeOf(one.startTime, language, now)}</span>
      <span role="cell" className="cell-remaining">{one.left ? <span className="muted">{words.states.FREE}</span> : <Remaining endsAt={one.endsAt} now={now} />}</span>
    </div>
  );
}
