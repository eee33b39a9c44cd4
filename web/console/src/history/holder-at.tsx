import { useState, type FormEvent } from "react";
import { useQuery } from "urql";
import { useSearchParams } from "wouter";
import { graphql, readFragment, type FragmentType } from "../graph";
import { Failure } from "../parts/failure";
import { dayAndTimeOf } from "../parts/time";
import { useSpoken, useWords } from "../words";
import { InstantField } from "./builder";

const holderAtQuery = graphql(`
  query HolderAt($itemType: String!, $itemName: String!, $at: Time!) {
    holderAt(itemType: $itemType, itemName: $itemName, at: $at) {
      ...HolderThen
    }
  }
`);

/** Who held an item at an instant. */
export function HolderAt() {
  const words = useWords().history;
  const [search, setSearch] = useSearchParams();
  const [itemType, itemName, at] = [search.get("type") ?? "LOT", search.get("name") ?? "", search.get("at")];
  const [moment, setMoment] = useState(() => at ?? new Date().toISOString());
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    setSearch((now) => {
      now.set("type", text("type"));
      now.set("name", text("name"));
      now.set("at", moment);
      return now;
    });
  };
  return (
    <>
      <form className="panel builder row" onSubmit={submit}>
        <input className="input" name="type" required defaultValue={itemType} aria-label={words.fields.itemType} placeholder={words.fields.itemType} />
        <input className="input" name="name" required defaultValue={itemName} aria-label={words.fields.itemName} placeholder={words.fields.itemName} />
        <InstantField label={words.at} value={moment} onChange={setMoment} />
        <button className="button primary">{words.ask}</button>
      </form>
      {itemName && at && <Answer itemType={itemType} itemName={itemName} at={at} />}
    </>
  );
}

function Answer(asked: { itemType: string; itemName: string; at: string }) {
  const { words, language } = useSpoken();
  const [{ data, error }, again] = useQuery({ query: holderAtQuery, variables: asked });
  if (error) return <Failure error={error} again={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return null;
  return (
    <section className="panel holder-then" aria-live="polite">
      <p className="muted">{words.history.heldAt(`${asked.itemType} ${asked.itemName}`, dayAndTimeOf(asked.at, language))}</p>
      {data.holderAt ? <HolderThen holder={data.holderAt} /> : <p className="holder-name">{words.history.nobody}</p>}
    </section>
  );
}

const holderThen = graphql(`
  fragment HolderThen on Holder {
    userId
    uiName
    menuName
    startTime
    expireTime
    fencingToken
  }
`);

function HolderThen({ holder }: { holder: FragmentType<typeof holderThen> }) {
  const { words, language } = useSpoken();
  const one = readFragment(holderThen, holder);
  return (
    <>
      <p className="holder-name">{one.userId}</p>
      <p>
        {[one.uiName, one.menuName].filter(Boolean).join(" · ")}{" "}
        <span className="muted">{words.history.fromTo(dayAndTimeOf(one.startTime, language), dayAndTimeOf(one.expireTime, language))}</span>
      </p>
    </>
  );
}
