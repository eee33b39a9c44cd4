import { useWords } from "../words";
import { Lots } from "./lots";
import { Sequences } from "./sequences";
import { Slots } from "./slots";
import "./numbers.css";

/** What is counted, numbered and locked by programs. */
export default function Numbers() {
  const words = useWords();
  return (
    <div className="page">
      <h1>{words.views.numbers}</h1>
      <Slots />
      <Sequences />
      <Lots />
    </div>
  );
}
