import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { graphql, readFragment, type FragmentType } from "../graph";
import type { Event, LaneHoldFragment } from "../graph/graphql";
import { shortTimeOf, spanOf, timeOf } from "../parts/time";
import { useSpoken } from "../words";
import { ticksOf } from "./span";

const laneHold = graphql(`
  fragment LaneHold on Hold {
    itemType
    itemName
    userId
    uiName
    from
    to
    endReason
    fencingToken
  }
`);

type Props = { holds: readonly FragmentType<typeof laneHold>[]; from: number; to: number; now: number; onOpen: (key: string) => void };

const laneHeight = 34;
const reasons: readonly Event[] = ["FREED", "WINDOW_CLOSED", "CONNECTION_LOST", "EXPIRED", "MAX_HOLD", "FORCED", "TRANSFERRED", "TAKEN_OVER"];

/** One lane an item, of which those are there that one sees. */
export function Lanes({ holds, from, to, now, onOpen }: Props) {
  const { words, language } = useSpoken();
  const scroller = useRef<HTMLDivElement>(null);
  const lanes = useMemo(() => lanesOf(readFragment(laneHold, holds)), [holds]);
  const virtual = useVirtualizer({ count: lanes.length, getScrollElement: () => scroller.current, estimateSize: () => laneHeight, overscan: 6 });
  const at = (instant: number) => (100 * (instant - from)) / (to - from);
  return (
    <>
      <ul className="legend small" aria-label={words.timeline.legend}>
        <li>
          <span className="dot OCCUPIED" aria-hidden="true" /> {words.states.OCCUPIED}
        </li>
        {reasons.map((reason) => (
          <li key={reason}>
            <span className={`dot ended ${reason}`} aria-hidden="true" /> {words.events[reason]}
          </li>
        ))}
      </ul>
      <div className="lanes panel" ref={scroller}>
        <div className="lanes-axis" aria-hidden="true">
          <div className="lanes-track">
            {ticksOf(from, to, 8).map((tick) => (
              <span key={tick} className="tick" style={{ left: `${at(tick)}%` }}>
                {to - from > 20 * 3_600_000 ? shortTimeOf(new Date(tick).toISOString(), language, 0) : timeOf(tick, language).slice(0, 5)}
              </span>
            ))}
          </div>
        </div>
        {lanes.length === 0 && <p className="nothing">{words.timeline.nothing}</p>}
        <div className="lanes-body" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const lane = lanes[index];
            return (
              lane && (
                <div key={lane.key} className="lane" style={{ transform: `translateY(${start}px)`, height: laneHeight }}>
                  <button type="button" className="lane-name" title={lane.key} onClick={() => onOpen(lane.key)}>
                    {lane.name}
                  </button>
                  <div className="lanes-track">
                    {lane.holds.map((hold) => (
                      <Bar key={hold.fencingToken} hold={hold} at={at} now={now} onOpen={() => onOpen(lane.key)} />
                    ))}
                  </div>
                </div>
              )
            );
          })}
        </div>
        {now < to && now > from && (
          <div className="lanes-now" aria-hidden="true">
            <div className="lanes-track">
              <span style={{ left: `${at(now)}%` }} />
            </div>
          </div>
        )}
      </div>
    </>
  );
}

type Lane = { key: string; name: string; holds: LaneHoldFragment[] };

function lanesOf(holds: readonly LaneHoldFragment[]): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const hold of holds) {
    const key = `${hold.itemType}/${hold.itemName}`;
    const lane = lanes.get(key) ?? { key, name: hold.itemName, holds: [] };
    lane.holds.push(hold);
    lanes.set(key, lane);
  }
  return [...lanes.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function Bar({ hold, at, now, onOpen }: { hold: LaneHoldFragment; at: (instant: number) => number; now: number; onOpen: () => void }) {
  const { words, language } = useSpoken();
  const begin = Date.parse(hold.from);
  const end = hold.to ? Date.parse(hold.to) : Math.max(now, begin);
  const left = Math.max(-0.3, at(begin));
  const width = Math.min(101, at(end)) - left;
  if (width < 0) return null;
  const how = hold.endReason ? words.events[hold.endReason] : words.states.OCCUPIED;
  const told = `${hold.userId}, ${hold.uiName ?? "–"}, ${timeOf(begin, language)} – ${hold.to ? timeOf(end, language) : "…"} (${spanOf((end - begin) / 1000)}), ${how}`;
  return (
    <button type="button" className={`bar-hold ${hold.endReason ? `ended ${hold.endReason}` : "OCCUPIED lasts"}`} style={{ left: `${left}%`, width: `${width}%` }} title={told} aria-label={told} onClick={onOpen}>
      <span aria-hidden="true">{hold.userId}</span>
    </button>
  );
}
