import { useWords } from "../words";
import { CompleteForceSampling } from "./complete-force-sampling";
import { ForceSampling } from "./force-sampling";
import "./screens.css";

/** Two screens as an MES has them. They are real: what they take, others do not get. */
export default function Screens() {
  const words = useWords();
  return (
    <div className="page">
      <header>
        <h1>{words.views.screens}</h1>
        <p className="muted">{words.screens.note}</p>
      </header>
      <div className="samples">
        <ForceSampling />
        <CompleteForceSampling />
      </div>
    </div>
  );
}
