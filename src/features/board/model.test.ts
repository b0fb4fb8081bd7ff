import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ACTIONS,
  actionFor,
  decide,
  SITUATIONS,
  situationOf,
  STATUSES,
  TABLE,
  type TaskState,
  taskStatesPage,
} from "./model.ts";

const handle = fc.constantFrom("ann", "bob", "cay");
const actor = fc.record({ handle, admin: fc.boolean() });
const FRESH: TaskState = {
  status: "pending",
  assignee: null,
  claimed: false,
  responsible: null,
  reviewer: null,
  created_by: "ann",
  last_holder: null,
};

test("the board's rules give a held task exactly one holder and a closed one none, whatever is tried in whatever order", () => {
  const step = fc.record({ action: fc.constantFrom(...ACTIONS), actor, to: fc.option(handle) });
  const start = fc.record({ reviewer: fc.option(handle), responsible: fc.option(handle) });

  fc.assert(
    fc.property(start, fc.array(step, { maxLength: 40 }), (people, steps) => {
      let task: TaskState = { ...FRESH, ...people };
      for (const { action, actor, to } of steps) {
        const decision = decide(task, action, actor, to);
        if (decision.allowed) task = decision.next;
        expect(task.claimed ? task.assignee : "nobody").not.toBeNull();
        expect(SITUATIONS).toContain(situationOf(task));
        if (task.status === "in_progress") expect(task.claimed).toBe(true);
        if (["pending", "done", "cancelled"].includes(task.status)) expect(task.claimed).toBe(false);
      }
    }),
  );
});

test("the board's rules let every status be left, and every one be asked for", () => {
  for (const situation of SITUATIONS) {
    const ways = ACTIONS.filter((action) => TABLE[situation][action] && TABLE[situation][action]?.to !== "same");
    expect(ways, situation).not.toEqual([]);
  }
  for (const status of STATUSES) expect(() => actionFor(FRESH, status)).not.toThrow();
});

test("the board's rules keep a reviewer's verdict from the one whose work is reviewed", () => {
  const task: TaskState = { ...FRESH, status: "in_review", assignee: "bob", claimed: true, reviewer: "cay" };

  const approvals = ["ann", "bob", "cay"].map((handle) => decide(task, "approve", { handle, admin: false }).allowed);
  const finished = decide(task, "finish", { handle: "bob", admin: true });

  expect(approvals).toEqual([false, false, true]);
  expect(finished).toEqual({ allowed: false, problem: "nothing in_review, held can be finished" });
});

test("the board's rules are printed with a row for every situation and a column for every action", () => {
  const lines = taskStatesPage()
    .split("\n")
    .filter((line) => line.startsWith("|"));

  expect(lines.length).toBe(SITUATIONS.length + 2);
  for (const line of lines) expect(line.split(" | ").length).toBe(ACTIONS.length + 1);
  expect(lines.find((line) => line.startsWith("| done"))).toContain("pending: creator, last holder, admin");
});
