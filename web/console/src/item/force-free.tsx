import { useState, type FormEvent } from "react";
import { useMutation } from "urql";
import { graphql, readFragment, type FragmentType } from "../graph";
import { Dialog } from "../parts/dialog";
import { Failure } from "../parts/failure";
import { useWords } from "../words";

const forceFreeItem = graphql(`
  fragment ForceFreeItem on Occupancy {
    itemType
    itemName
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

/** Ends another's hold. It is the hold that one saw: if the item has changed hands since, nothing happens. */
export function ForceFree({ item, onChanged }: Props) {
  const words = useWords().item;
  const { itemType, itemName, userId, fencingToken } = readFragment(forceFreeItem, item);
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const [{ data, error, fetching }, forceFree] = useMutation(forceFreeMutation);
  const refused = data?.forceFree?.ok === false ? data.forceFree.message : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const result = await forceFree({ input: { itemType, itemName, reason, fencingToken } });
    if (!result.data?.forceFree?.ok) return;
    setAsking(false);
    onChanged();
  };
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        {words.forceFree}
      </button>
      {asking && (
        <Dialog label={words.forceFreeTitle(itemName)} onClose={() => setAsking(false)}>
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
              <button type="button" className="button" onClick={() => setAsking(false)}>
                {words.cancel}
              </button>
              <button className="button danger" disabled={fetching || reason.trim() === ""}>
                {words.forceFree}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
