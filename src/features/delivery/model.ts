/** How far an item has come to a member it is for. */
export const RECEIPT_STATES = ["stored", "nudged", "handed_over", "acknowledged"] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];

/** `nudge`: a wake-up that carries no text left. `hand_over`: the text reached the member's session. `acknowledge`: the member says so. */
export const RECEIPT_ACTIONS = ["nudge", "hand_over", "acknowledge"] as const;
export type ReceiptAction = (typeof RECEIPT_ACTIONS)[number];

/** Every state and action. A receipt never goes back: what comes late or again changes nothing. */
export const RECEIPT_MOVES: Readonly<Record<ReceiptState, Readonly<Record<ReceiptAction, ReceiptState>>>> = {
  stored: { nudge: "nudged", hand_over: "handed_over", acknowledge: "acknowledged" },
  nudged: { nudge: "nudged", hand_over: "handed_over", acknowledge: "acknowledged" },
  handed_over: { nudge: "handed_over", hand_over: "handed_over", acknowledge: "acknowledged" },
  acknowledged: { nudge: "acknowledged", hand_over: "acknowledged", acknowledge: "acknowledged" },
};

/** When each action happened first (ms since 1970), null when it did not. */
export interface ReceiptTimes {
  readonly nudged_at: number | null;
  readonly handed_over_at: number | null;
  readonly acknowledged_at: number | null;
}

/** The state that these actions lead to; their order does not matter. */
export function receiptState({ nudged_at, handed_over_at, acknowledged_at }: ReceiptTimes): ReceiptState {
  const happened: Record<ReceiptAction, number | null> = {
    nudge: nudged_at,
    hand_over: handed_over_at,
    acknowledge: acknowledged_at,
  };
  const actions = RECEIPT_ACTIONS.filter((action) => happened[action] !== null);
  return actions.reduce<ReceiptState>((state, action) => RECEIPT_MOVES[state][action], "stored");
}
