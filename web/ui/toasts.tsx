import { useSyncExternalStore } from "react";
import { TEXTS } from "../texts.ts";
import { Icon } from "./icons.tsx";
import { wordsOf } from "./states.tsx";

interface Toast {
  readonly id: number;
  readonly kind: "good" | "bad";
  readonly says: string;
  readonly next: string;
}

/** How long (ms) what went well is shown; what went wrong stays until it is closed. */
const SHOWN = 5_000;

let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

function show(toast: Omit<Toast, "id">): number {
  count += 1;
  set([...toasts.slice(-3), { ...toast, id: count }]);
  return count;
}

const close = (id: number) => set(toasts.filter((toast) => toast.id !== id));

export function tell(says: string) {
  const id = show({ kind: "good", says, next: "" });
  setTimeout(() => close(id), SHOWN);
}

export function tellProblem(error: unknown) {
  show({ kind: "bad", ...wordsOf(error) });
}

/** Where they appear; read out by screen readers. */
export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, kind, says, next }) => (
        <div key={id} className={`toast ${kind}`}>
          <div>
            <p>{says}</p>
            {next && <p className="quiet">{next}</p>}
          </div>
          <button type="button" className="bare" aria-label={TEXTS.close} onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
