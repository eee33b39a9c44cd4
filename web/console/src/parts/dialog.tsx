import { useEffect, useRef, type ReactNode } from "react";

/** A dialog of the browser's own: it keeps the focus, and Escape closes it. It is open as long as it is there. */
export function Dialog({ label, className = "dialog", onClose, children }: { label: string; className?: string; onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={className}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose(); // beside it
      }}
    >
      {children}
    </dialog>
  );
}
