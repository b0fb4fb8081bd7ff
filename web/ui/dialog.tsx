import { type ReactNode, useEffect, useId, useRef } from "react";
import { TEXTS } from "../texts.ts";
import { Icon } from "./icons.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Comes in from the side, for lists that stand beside what they belong to. */
  readonly aside?: boolean;
}

/** The browser's own dialog: it keeps the focus inside, closes with Escape and gives the focus back. */
export function Dialog({ title, onClose, children, aside = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={aside ? "dialog aside" : "dialog"}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Beside what may have been typed, or is shown once, a slip of the hand closes nothing.
      onClick={(event) => aside && event.target === element.current && onClose()}
    >
      <div className="dialog-inside">
        <header className="dialog-top">
          <h2 id={name}>{title}</h2>
          <button type="button" className="bare" aria-label={TEXTS.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
