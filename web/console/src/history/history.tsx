import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { useSession } from "../app/session";
import { ItemDrawer } from "../item/item-drawer";
import { useWords } from "../words";
import { Blockers } from "./blockers";
import { Builder } from "./builder";
import { HolderAt } from "./holder-at";
import { holdWhereOf, readQuestion, whereOf, writeQuestion, type Question } from "./question";
import { Rows } from "./rows";
import { Stats } from "./stats";
import "../parts/section.css";
import "./history.css";

const tabs = ["rows", "stats", "blockers", "holder"] as const;
type Tab = (typeof tabs)[number];

/** Anything about the past. The address bar has the whole question. */
export default function History() {
  const words = useWords();
  const { may } = useSession();
  const [search, setSearch] = useSearchParams();
  const tab: Tab = tabs.find((one) => one === search.get("show")) ?? "rows";
  const put = (change: (search: URLSearchParams) => void) =>
    setSearch((now) => {
      change(now);
      return now;
    });
  const text = search.toString();
  const question = useMemo(() => readQuestion(new URLSearchParams(text)), [text]);
  // "The last hour" is that before the question was asked, not one that moves while its answer is read.
  const [askedAt, setAskedAt] = useState(() => Date.now());
  const where = useMemo(() => whereOf(question, askedAt), [question, askedAt]);
  const holdWhere = useMemo(() => holdWhereOf(question, askedAt), [question, askedAt]);
  const ask = (next: Question) => {
    setAskedAt(Date.now());
    put((now) => writeQuestion(next, now));
  };
  const open = search.get("open");
  const shown = tabs.filter((one) => one === "rows" || one === "holder" || may("ANALYST") || may("SUPERVISOR"));
  return (
    <div className="page">
      <header className="page-head">
        <h1>{words.views.history}</h1>
        <div className="row" role="group" aria-label={words.history.show}>
          {shown.map((one) => (
            <button key={one} type="button" className="chip" aria-pressed={one === tab} onClick={() => put((now) => now.set("show", one))}>
              {words.history.tabs[one]}
            </button>
          ))}
        </div>
      </header>
      {tab !== "holder" && <Builder key={text} question={question} periodOnly={tab === "blockers"} onAsk={ask} />}
      {tab === "rows" && <Rows where={where} onOpen={(key) => put((now) => now.set("open", key))} />}
      {tab === "stats" && <Stats where={holdWhere} />}
      {tab === "blockers" && <Blockers question={question} now={askedAt} />}
      {tab === "holder" && <HolderAt />}
      {open && <ItemDrawer itemKey={open} seen="" onClose={() => put((now) => now.delete("open"))} />}
    </div>
  );
}
