import { useState, type FormEvent } from "react";
import { useMutation } from "urql";
import { graphql, readFragment, type FragmentType } from "../graph";
import type { ForceFreeItemFragment } from "../graph/graphql";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { useWords } from "../words";

const forceFreeItem = graphql(`
  fragment ForceFreeItem on Occupancy {
    itemType
    itemName
    state
    userId
    fencingToken
  }
`);

const forceFreeMutation = graphql(`
  mutation ForceFree($input: ForceFreeInput!) {
    forceFree(input: $input) {
      ok
      message
    }
  }
`);

type Props = { item: FragmentType<typeof forceFreeItem>; onChanged: () => void };

/** Offers to end another's hold. */
export function ForceFree({ item, onChanged }: Props) {
  const words = useWords().item;
  const present = readFragment(forceFreeItem, item);
  const [seen, setSeen] = useState<typeof present>();
  return (
    <>
      {present.state === "OCCUPIED" && (
        <button type="button" className="button" onClick={() => setSeen(present)}>
          {words.forceFree}
        </button>
      )}
      {seen && (
        <ForceFreeDialog
          seen={seen}
          onClose={(changed) => {
            setSeen(undefined);
            if (changed) onChanged();
          }}
        />
      )}
    </>
  );
}

/** It is the hold that one saw: if the item changes hands meanwhile, nothing happens, and the gateway says so. */
function ForceFreeDialog({ seen, onClose }: { seen: ForceFreeItemFragment; onClose: (changed: boolean) => void }) {
  const words = useWords().item;
  const { itemType, itemName, userId, fencingToken } = seen;
  const [reason, setReason] = useState("");
  const [{ data, error, fetching }, forceFree] = useMutation(forceFreeMutation);
  const refused = data?.forceFree?.ok === false ? data.forceFree.message : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const result = await forceFree({ input: { itemType, itemName, reason, fencingToken } });
    if (result.data?.forceFree?.ok) onClose(true);
  };
  return (
    <Dialog label={words.forceFreeTitle(itemName)} onClose={() => onClose(false)}>
      <form onSubmit={submit}>
        <h2>{words.forceFreeTitle(itemName)}</h2>
        <p>{words.forceFreeWarning(userId ?? "–")}</p>
        <label className="field">
          {words.reason}
          <textarea className="input" required autoFocus maxLength={400} value={reason} onChange={(e) => setReason(e.target.value)} />
        </label>
        {refused && <p className="note" role="alert">{refused}</p>}
        {error && <Failure error={error} />}
        <div className="actions">
          <button type="button" className="button" onClick={() => onClose(false)}>
            {words.cancel}
          </button>
          <button className="button danger" disabled={fetching || reason.trim() === ""}>
            {words.forceFree}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
