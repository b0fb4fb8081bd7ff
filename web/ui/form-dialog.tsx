import type { ReactNode } from "react";
import { TEXTS } from "../texts.ts";
import { Dialog } from "./dialog.tsx";

interface FormDialogProps {
  readonly title: string;
  /** What the button says that does it. */
  readonly submit: string;
  readonly onSubmit: (form: FormData) => void;
  readonly onClose: () => void;
  readonly isBusy?: boolean;
  readonly isDangerous?: boolean;
  readonly isReady?: boolean;
  readonly children?: ReactNode;
}

/** A dialog with something to fill in, or to be sure of. */
export function FormDialog(props: FormDialogProps) {
  const { title, submit, onSubmit, onClose, isBusy = false, isDangerous = false, isReady = true, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(new FormData(event.currentTarget));
        }}
      >
        {children}
        <div className="actions">
          <button type="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" className={isDangerous ? "danger" : "main"} disabled={isBusy || !isReady}>
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
