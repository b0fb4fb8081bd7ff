import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ACTIONS,
  decide,
  DONE_BY,
  isOpen,
  questionStatesPage,
  type Side,
  standingAt,
  stateAfter,
  STATES,
  statesBefore,
  TABLE,
} from "./model.ts";

const EVERYBODY: ReadonlySet<Side> = new Set(["asker", "recipient", "hub"]);
const state = fc.constantFrom(...STATES);
const action = fc.constantFrom(...ACTIONS);

test("a question that is closed stays as it is, and one that is open can always be ended by each of its people", () => {
  for (const closed of STATES.filter((one) => !isOpen(one)))
    expect(ACTIONS.map((one) => TABLE[closed][one])).toEqual(ACTIONS.map(() => null));
  for (const open of STATES.filter(isOpen))
    expect([TABLE[open].decline, TABLE[open].withdraw, TABLE[open].expire]).toEqual([
      "declined",
      "withdrawn",
      "expired",
    ]);
  expect(STATES.filter(isOpen)).toEqual(["pending", "drafted", "awaiting_approval"]);
});

test("an answer leaves a draft that waits for approval, and nothing else", () => {
  expect(statesBefore("approve")).toEqual(["awaiting_approval"]);
  expect(STATES.filter((one) => ACTIONS.some((move) => move !== "approve" && TABLE[one][move] === "answered"))).toEqual(
    [],
  );
});

test("every action leads to one state, wherever it begins", () => {
  expect(ACTIONS.map((one) => [one, stateAfter(one)])).toEqual([
    ["draft", "drafted"],
    ["request", "awaiting_approval"],
    ["reject", "drafted"],
    ["approve", "answered"],
    ["decline", "declined"],
    ["withdraw", "withdrawn"],
    ["redirect", "pending"],
    ["expire", "expired"],
  ]);
});

test("whatever is tried in whatever order, a question ends once at most, and no later than its deadline", () => {
  const step = fc.record({ action, sides: fc.subarray<Side>(["asker", "recipient", "hub"]), ms: fc.nat(40) });

  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let question = { state: STATES[0] as (typeof STATES)[number], expires_at: 500 };
      let ended = 0;
      let now = 0;
      for (const { action, sides, ms } of steps) {
        now += ms;
        const decision = decide(question, action, new Set(sides), now);
        if (!decision.allowed) continue;
        expect(sides).toContain(DONE_BY[action]);
        expect(action === "expire" ? now >= 500 : now < 500).toBe(true);
        if (!isOpen(decision.next)) ended += 1;
        question = { ...question, state: decision.next };
      }
      expect(ended).toBe(isOpen(question.state) ? 0 : 1);
    }),
    { numRuns: 2_000 },
  );
});

test("from its deadline on an open question is expired, to the millisecond, and nothing can be done to it but to write that", () => {
  fc.assert(
    fc.property(state, action, fc.integer({ min: -2, max: 2 }), (state, action, late) => {
      const question = { state, expires_at: 1_000 };
      const over = isOpen(state) && late >= 0;

      expect(standingAt(question, 1_000 + late)).toBe(over ? "expired" : state);
      const decision = decide(question, action, EVERYBODY, 1_000 + late);
      expect(decision.allowed).toBe(action === "expire" ? over : !over && TABLE[state][action] !== null);
    }),
  );
});

test("its page has a row for every state and a column for every action", () => {
  const rows = questionStatesPage()
    .split("\n")
    .filter((line) => line.startsWith("| "));

  expect(rows.map((row) => row.split(" | ").length)).toEqual(rows.map(() => ACTIONS.length + 1));
  expect(rows.slice(3).map((row) => row.split(" | ")[0])).toEqual(STATES.map((one) => `| ${one}`));
});
