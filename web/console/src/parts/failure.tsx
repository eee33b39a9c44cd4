import type { CombinedError } from "urql";
import { problemOf } from "../app/client";
import { useWords } from "../words";

/** Says what went wrong, and offers to ask again. */
export function Failure({ error, again }: { error: CombinedError; again?: () => void }) {
  const words = useWords().failure;
  const { message, code, requestId } = problemOf(error);
  return (
    <div className="note bad row spread" role="alert">
      <span>
        {message ?? words.network} {code && <code>{code}</code>} {requestId && <span className="small">{words.requestId(requestId)}</span>}
      </span>
      {again && (
        <button type="button" className="button small" onClick={again}>
          {words.again}
        </button>
      )}
    </div>
  );
}
