import fc from "fast-check";
import { expect, test } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import {
  type Action,
  actionFor,
  type Actor,
  decide,
  type Decision,
  STATUSES,
  type Status,
  type TaskState,
} from "./model.ts";

const ACTORS: readonly Actor[] = [
  { handle: "box1", admin: false },
  { handle: "box2", admin: false },
  { handle: "box3", admin: false },
  { handle: "chief", admin: true },
];
const actor = fc.constantFrom(...ACTORS);
const somebody = fc.constantFrom("box1", "box2", "box3", "chief");

type Command =
  | { readonly do: "claim"; readonly by: Actor; readonly takeOver: boolean }
  | { readonly do: "status"; readonly by: Actor; readonly status: Status }
  | { readonly do: "release"; readonly by: Actor; readonly to: string }
  | { readonly do: "assign"; readonly by: Actor; readonly to: string }
  | { readonly do: "edit"; readonly by: Actor }
  | { readonly do: "sleep" };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("claim" as const), by: actor, takeOver: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("status" as const), by: actor, status: fc.constantFrom(...STATUSES) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("release" as const), by: actor, to: fc.oneof(fc.constant(""), somebody) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("assign" as const), by: actor, to: fc.oneof(fc.constant(""), somebody) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), by: actor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sleep" as const) }) },
);
const start = fc.record({
  reviewer: fc.constantFrom(null, "box2", "box3"),
  responsible: fc.constantFrom(null, "box2"),
});

/** What the model foresees: the next state, or that nothing changes. */
function foresee(task: TaskState, command: Command): TaskState {
  switch (command.do) {
    case "claim":
      return claimed(task, command.by, command.takeOver);
    case "status": {
      if (command.status === task.status) return task;
      const asked = actionFor(task, command.status);
      return "action" in asked ? after(task, decide(task, asked.action, command.by)) : task;
    }
    case "release":
      return after(task, decide(task, "release", command.by, command.to || null));
    case "assign":
      if ((command.to || null) === task.assignee) return task;
      return after(task, decide(task, task.claimed ? "release" : "reserve", command.by, command.to || null));
    case "edit":
      return task;
    case "sleep":
      return leaseEnded(task);
  }
}

function claimed(task: TaskState, by: Actor, takeOver: boolean): TaskState {
  if (task.claimed && task.assignee === by.handle) return task;
  const action: Action = task.claimed && takeOver ? "take_over" : "claim";
  return after(task, decide(task, action, by));
}

function leaseEnded(task: TaskState): TaskState {
  if (!task.claimed || task.status === "in_review") return task;
  const status = task.status === "in_progress" ? "pending" : task.status;
  return { ...task, status, assignee: null, claimed: false, last_holder: task.assignee };
}

/** Whether the hub must say that it did something: claiming one's own again counts, though nothing changes. */
function isDone(task: TaskState, command: Command, next: TaskState): boolean {
  if (command.do === "sleep") return false;
  if (command.do === "edit") return decide(task, "edit", command.by).allowed;
  const own = command.do === "claim" && task.claimed && task.assignee === command.by.handle;
  return own || JSON.stringify(next) !== JSON.stringify(task);
}

const after = (task: TaskState, decision: Decision) => (decision.allowed ? decision.next : task);

/** Does it on the hub; true when the hub says that it did something. */
async function perform(hub: TestHub, task_id: number, command: Command): Promise<boolean> {
  if (command.do === "sleep") {
    hub.later({ hours: 5 });
    return false;
  }
  const caller = hub.as(command.by.handle);
  const reply = await (() => {
    switch (command.do) {
      case "claim":
        return caller.try("claim_task", { task_id, take_over: command.takeOver });
      case "status":
        return caller.try("update_task", { task_id, status: command.status });
      case "release":
        return caller.try("release_task", { task_id, to: command.to });
      case "assign":
        return caller.try("update_task", { task_id, assignee: command.to });
      case "edit":
        return caller.try("update_task", { task_id, body: String(Math.random()) });
    }
  })();
  if (!reply.ok) expect(reply.code).toBe("task_move");
  return reply.ok && (reply.value["claimed"] ?? reply.value["updated"] ?? reply.value["released"]);
}

onEachStore("the board", (startHub, kind) => {
  test("follows its model in random sequences of what members do, by hand and by lease", async () => {
    await using hub = await startHub();

    await fc.assert(
      fc.asyncProperty(start, fc.array(command, { minLength: 5, maxLength: 25 }), async (people, commands) => {
        const given = { reviewer: people.reviewer ?? "", responsible: people.responsible ?? "" };
        const { created } = await hub.as("box1").call("create_task", { title: "t", ...given });
        let task: TaskState = {
          status: "pending",
          assignee: null,
          claimed: false,
          created_by: "box1",
          last_holder: null,
          ...people,
        };
        for (const step of commands) {
          const next = foresee(task, step);
          const did = await perform(hub, created.id, step);

          const read = (await hub.as("watcher").call("get_task", { task_id: created.id }))["task"];
          const told = `${JSON.stringify(step)} on ${JSON.stringify(task)}`;
          expect([read.status, read.assignee], told).toEqual([next.status, next.assignee]);
          expect(did, told).toBe(isDone(task, step, next));
          task = next;
        }
      }),
      { numRuns: kind === "sqlite" ? 40 : 15, endOnFailure: false },
    );
  }, 120_000);
});
