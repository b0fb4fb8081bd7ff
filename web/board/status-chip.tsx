import type { Status } from "../hub.ts";
import { TEXTS } from "../texts.ts";

/** Where a task stands: in words, and by colour beside. */
export function StatusChip({ status }: { readonly status: Status }) {
  return <span className={`chip status-${status}`}>{TEXTS.board.statuses[status]}</span>;
}
