import { useId, type ReactNode } from "react";
import "./section.css";

/** A part of a page with a heading, and what stands beside that. */
export function Section({ title, note, beside, children }: { title: string; note?: string; beside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className="panel section" aria-labelledby={id}>
      <header className="section-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note && <p className="muted small">{note}</p>}
        </div>
        {beside}
      </header>
      {children}
    </section>
  );
}
