import { useState } from "react";
import { headersOf } from "../app/caller";
import { asBytes } from "../app/client";
import { useSession } from "../app/session";
import type { HistoryWhere } from "../graph/graphql";
import { Icon } from "../parts/icon";
import { useSpoken } from "../words";

/** All that the question finds, as a file that a Korean Excel reads, too. */
export function Download({ where }: { where: HistoryWhere }) {
  const { words, language } = useSpoken();
  const { caller } = useSession();
  const [state, setState] = useState<"idle" | "busy" | "failed">("idle");
  const save = async () => {
    setState("busy");
    try {
      const query = new URLSearchParams({ where: JSON.stringify(where), bom: "1" });
      const response = await fetch(`/export/history.csv?${query}`, { headers: asBytes(headersOf(caller, language)) });
      if (!response.ok) throw new Error(response.statusText);
      offer(await response.blob(), "history.csv"); // one that breaks off fails here, and leaves no file
      setState("idle");
    } catch {
      setState("failed");
    }
  };
  return (
    <span className="row">
      {state === "failed" && (
        <span role="alert" className="note bad small">
          {words.history.notSaved}
        </span>
      )}
      <button type="button" className="button small" disabled={state === "busy"} onClick={() => void save()}>
        <Icon name="download" size={16} /> CSV
      </button>
    </span>
  );
}

function offer(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // when it has been read
}
