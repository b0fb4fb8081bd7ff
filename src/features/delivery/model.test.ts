import { describe, expect, test } from "vitest";
import { RECEIPT_ACTIONS, RECEIPT_MOVES, RECEIPT_STATES, receiptState } from "./model.ts";

describe("a receipt", () => {
  test("never goes back", () => {
    for (const state of RECEIPT_STATES) {
      for (const action of RECEIPT_ACTIONS) {
        const next = RECEIPT_MOVES[state][action];
        expect(RECEIPT_STATES.indexOf(next), `${state} ${action}`).toBeGreaterThanOrEqual(
          RECEIPT_STATES.indexOf(state),
        );
      }
    }
  });

  test("is as far as the furthest thing that happened", () => {
    const states = [
      receiptState({ nudged_at: null, handed_over_at: null, acknowledged_at: null }),
      receiptState({ nudged_at: 2, handed_over_at: null, acknowledged_at: null }),
      receiptState({ nudged_at: 2, handed_over_at: 1, acknowledged_at: null }),
      receiptState({ nudged_at: null, handed_over_at: null, acknowledged_at: 1 }),
    ];

    expect(states).toEqual(["stored", "nudged", "handed_over", "acknowledged"]);
  });
});
