import { expect, test } from "vitest";
import type { Operation } from "../src/core/operation.ts";
import { operations } from "../src/operations.ts";
import type { Sql } from "../src/store/sql.ts";
import type { Value } from "../src/testkit/actor.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";
import type { StoreKind } from "../src/testkit/databases.ts";
import { settle, type Telling, UNTOLD } from "./telling.ts";

/** Ways in which a hub before this one let a board fall apart, or kept half of what it had said: none of them may come back. */

const raw = (text: string): Sql => ({ texts: [text], values: [] });

/** Lets no event be written any more, as a full or broken log would. Gives how to end that. */
async function breakLog({ hub, kind }: TestHub): Promise<() => Promise<void>> {
  const { make, drop } = BROKEN[kind];
  const run = (texts: readonly string[]) =>
    hub.store.write("main", async (tx) => {
      for (const text of texts) await tx.run(raw(text));
    });
  await run(make);
  return () => run(drop);
}

const BROKEN: Record<StoreKind, { make: readonly string[]; drop: readonly string[] }> = {
  sqlite: {
    make: ["create trigger no_events before insert on events begin select raise(abort, 'the log is broken'); end"],
    drop: ["drop trigger no_events"],
  },
  postgres: {
    make: [
      "create function refuse_event() returns trigger language plpgsql as $$ begin raise 'the log is broken'; end $$",
      "create trigger no_events before insert on events for each row execute function refuse_event()",
    ],
    drop: ["drop trigger no_events on events", "drop function refuse_event()"],
  },
};

/** What both the first answer and a later one have: a secret comes once, and a note then says so. */
function withoutSecrets(operation: string, answer: Value): Value {
  const { secretFields = [] } = operations.find(({ name }) => name === operation) as Operation; // each is one of them
  const hidden = ["note", ...secretFields];
  return Object.fromEntries(Object.entries(answer).filter(([field]) => !hidden.includes(field)));
}

onEachStore("the board and the log", (start) => {
  test("event and change are one transaction: when the event cannot be written, nothing else stays", async () => {
    await using hub = await start();
    const telling = await settle(hub);
    const mend = await breakLog(hub);
    const before = await hub.state();

    // What an earlier call would have made is not there to be deleted.
    for (const { operation, input, by } of telling.filter((call) => call.operation !== "delete_room")) {
      const reply = await by.try(operation, { ...input, idempotency_key: `once-${operation}` });
      expect(reply, operation).toMatchObject({ ok: false, status: 500, code: "internal" });
      expect(await hub.state(), operation).toBe(before);
    }
    const deleted = await hub.as("boss").try("delete_room", { room: "ops" });
    expect(deleted).toMatchObject({ status: 500 });
    expect(await hub.state()).toBe(before);
    await mend();

    // A retry under the same key was never answered, so it has its effect now.
    const [{ operation, input, by }] = telling as [Telling, ...Telling[]]; // there are many
    const reply = await by.call(operation, { ...input, idempotency_key: `once-${operation}` });
    expect(reply).toMatchObject({ message_id: 2 });
  });

  test("a retry of any command under its key has one effect and gets the first answer", async () => {
    await using hub = await start();

    for (const [index, { operation, input, by }] of (await settle(hub)).entries()) {
      const call = { ...input, idempotency_key: `try-${index}` };
      const first = await by.try(operation, call);
      const after = await hub.state();
      const again = await by.try(operation, call);
      expect(first, operation).toMatchObject({ ok: true });
      expect(await hub.state(), operation).toBe(after);
      expect(again.ok && withoutSecrets(operation, again.value), operation).toEqual(
        first.ok && withoutSecrets(operation, first.value),
      );
    }
  });

  test("every command that tells of an event is tried in that", async () => {
    await using hub = await start();

    const tried = new Set((await settle(hub)).map(({ operation }) => operation));

    const told = operations.filter(({ name, kind }) => kind === "command" && !UNTOLD.includes(name));
    expect(told.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual(["send_response"]);
  });

  test("a claim repeated without a key, after a lost answer, is still told that it won", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "mine" });

    const first = await hub.as("box1").call("claim_task", { task_id: 1 });
    const again = await hub.as("box1").call("claim_task", { task_id: 1 });

    expect([first["claimed"], again]).toEqual([true, first]);
  });

  test("the task in a claim's answer is as the claim left it, however fast the peers are", async () => {
    await using hub = await start();
    const rounds = Array.from({ length: 15 }, (_, n) => n + 1);
    for (const n of rounds) await hub.as("box1").call("create_task", { title: `task ${n}` });

    for (const task_id of rounds) {
      const notes = ["box2", "box3", "chief"].map((handle) =>
        hub.as(handle).call("add_note", { task_id, body: "quick" }),
      );
      const claim = await hub.as("box1").call("claim_task", { task_id });
      await Promise.all(notes);
      const { events } = await hub.as("box1").call("read_events", { task_id, since_id: 0 });
      const kinds = events.map((event: Value) => event["kind"]);

      // Making it is version 1, and every event after that is one more.
      expect(claim["task"]).toMatchObject({ status: "in_progress", version: kinds.indexOf("task_claimed") + 1 });
    }
  });

  test("a task of a dead agent is free again: at once for an admin, at its lease's end for everybody", async () => {
    await using hub = await start();
    for (const title of ["released", "taken over", "left"]) await hub.as("box1").call("create_task", { title });
    for (const task_id of [1, 2, 3]) await hub.as("box2").call("claim_task", { task_id });
    await hub.as("boss").call("revoke_token", { agent: "box2" });

    const early = await hub.as("box3").call("claim_task", { task_id: 3 });
    const released = await hub.as("chief").call("release_task", { task_id: 1 });
    const taken = await hub.as("chief").call("claim_task", { task_id: 2, take_over: true });
    hub.later({ hours: 4, seconds: 1 });
    const late = await hub.as("box3").call("claim_task", { task_id: 3 });

    expect(early).toMatchObject({ claimed: false, holder: "box2" });
    expect(released).toMatchObject({ released: true, task: { status: "pending", assignee: null } });
    expect(taken).toMatchObject({ claimed: true, task: { assignee: "chief" } });
    expect(late).toMatchObject({ claimed: true, task: { assignee: "box3" } });
  });

  test("no task is ever in progress with nobody to release it, or pending with a holder nobody can claim it from", async () => {
    await using hub = await start();
    for (const title of ["unclaimed", "set back"]) await hub.as("box1").call("create_task", { title });
    await hub.as("box2").call("claim_task", { task_id: 2 });

    const started = await hub.as("box1").try("update_task", { task_id: 1, status: "in_progress" });
    const setBack = await hub.as("box2").call("update_task", { task_id: 2, status: "pending" });
    const claims = [];
    for (const task_id of [1, 2]) claims.push(await hub.as("box3").call("claim_task", { task_id }));

    expect(started).toMatchObject({ ok: false, status: 409, code: "task_move" });
    expect(setBack["task"]).toMatchObject({ status: "pending", assignee: null });
    expect(claims).toMatchObject([{ claimed: true }, { claimed: true }]);
  });

  test("dependencies bind: none of the ways to begin or end a task goes round them", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "first" });
    await box1.call("create_task", { title: "second", depends_on: [1] });
    await box1.call("update_task", { task_id: 2, status: "blocked" });

    const ways = [
      await box1.try("claim_task", { task_id: 2 }),
      await box1.try("update_task", { task_id: 2, status: "done" }),
      await box1.try("create_task", { title: "third", depends_on: [1], claim: true }),
    ];
    await box1.call("claim_task", { task_id: 1 });
    const next = await box1.call("claim_next");

    expect(ways.map((reply) => reply.ok || reply.code)).toEqual(Array(3).fill("dependency_unfinished"));
    expect(next["claimed"]).toBe(false);
  });

  test("a cancelled dependency blocks nobody for ever: the list can be changed, but never into a circle", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    for (const title of ["first", "second", "third"]) await box1.call("create_task", { title });
    await box1.call("update_task", { task_id: 2, depends_on: [1] });
    await box1.call("update_task", { task_id: 3, depends_on: [2] });
    await box1.call("update_task", { task_id: 1, status: "cancelled" });

    const circle = await box1.try("update_task", { task_id: 2, depends_on: [3] });
    const freed = await box1.call("update_task", { task_id: 2, depends_on: [] });

    expect(circle).toMatchObject({ ok: false, status: 409, code: "dependency_cycle" });
    expect(freed["task"]).toMatchObject({ depends_on: [], blocked_by_unfinished: [] });
    expect(await box1.call("claim_task", { task_id: 2 })).toMatchObject({ claimed: true });
  });

  test("nobody ends, edits or gives back what another holds, and nothing reopens a done task by the way", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "held" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    const strangers = [
      await hub.as("box3").try("update_task", { task_id: 1, status: "done" }),
      await hub.as("box3").try("update_task", { task_id: 1, title: "mine" }),
      await hub.as("box3").try("update_task", { task_id: 1, assignee: "" }),
    ];
    const released = await hub.as("box3").call("release_task", { task_id: 1 });
    await hub.as("box2").call("update_task", { task_id: 1, status: "done" });
    const reopened = [
      await hub.as("box2").call("release_task", { task_id: 1 }),
      await hub.as("box2").call("claim_task", { task_id: 1 }),
    ];

    expect(strangers.map((reply) => reply.ok || reply.code)).toEqual(Array(3).fill("task_move"));
    expect(released).toMatchObject({ released: false, holder: "box2" });
    expect(reopened).toMatchObject([{ released: false }, { claimed: false }]);
    expect((await hub.as("box1").call("get_task", { task_id: 1 }))["task"].status).toBe("done");
  });

  test("an update with nothing to change bumps nothing", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "same", labels: ["a"], priority: 1 });
    const before = await hub.state();

    const empty = await hub.as("box2").call("update_task", { task_id: 1 });
    const same = await hub.as("box2").call("update_task", { task_id: 1, title: "same", priority: 1, labels: ["a"] });

    expect([empty, same]).toMatchObject([
      { updated: false, reason: "nothing to change", current: { version: 1 } },
      { updated: false, reason: "nothing to change", current: { version: 1 } },
    ]);
    expect(await hub.state()).toBe(before);
  });

  test("a note bumps the version and is told by its name, by itself and inside an update", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "noted" });
    await hub.as("box2").call("add_note", { task_id: 1, body: "read me first" });

    const unseen = await hub.as("box1").call("update_task", { task_id: 1, body: "over it", expected_version: 1 });
    await hub.as("box1").call("update_task", { task_id: 1, priority: 0, note: "and me", expected_version: 2 });

    expect(unseen).toMatchObject({ updated: false, current: { version: 2 } });
    expect((await hub.eventsOf("lobby")).map(({ kind, detail }) => [kind, detail])).toEqual([
      ["task_created", "noted"],
      ["note_added", "read me first"],
      ["task_updated", "priority"],
      ["note_added", "and me"],
    ]);
  });

  test("claim and release made against an old version change nothing", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "moving" });
    await hub.as("box2").call("add_note", { task_id: 1, body: "wait" });
    const before = await hub.state();

    const claim = await hub.as("box1").call("claim_task", { task_id: 1, expected_version: 1 });
    const after = await hub.state();
    await hub.as("box1").call("claim_task", { task_id: 1, expected_version: 2 });
    const release = await hub.as("box1").call("release_task", { task_id: 1, expected_version: 2 });

    expect([claim["claimed"], release["released"]]).toEqual([false, false]);
    expect(after).toBe(before);
    expect(release["task"]).toMatchObject({ status: "in_progress", assignee: "box1", version: 3 });
  });
});
