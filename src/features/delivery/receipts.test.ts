import { expect, test } from "vitest";
import { execute } from "../../core/execute.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { whatsNew } from "./whats-new.ts";

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

/** The receipts of a message once there is one in this state: a hand-over is written down after its answer has left. */
async function receiptsWith(hub: TestHub, state: string, message_id = 1) {
  for (;;) {
    const { receipts } = await hub.as("box1").call("get_receipts", { message_id });
    const states = (receipts as { state: string }[]).map((receipt) => receipt.state);
    if (states.includes(state)) return receipts;
  }
}

onEachStore("get_receipts", (start) => {
  test("tells how far a message came to each member it names, and why not further", async () => {
    await using hub = await start();
    await hub.as("box2").in("s1").call("whats_new");
    await hub.as("box1").call("post_message", { body: "@box2 @box3 look" });

    const before = await hub.as("watcher").call("get_receipts", { message_id: 1 });
    await hub.as("box2").in("s1").call("whats_new");
    const after = await receiptsWith(hub, "handed_over");

    expect(before).toMatchObject({
      room: "lobby",
      message_id: 1,
      author: "box1",
      count: 2,
      has_more: false,
      next: null,
    });
    expect(before["receipts"]).toEqual([
      { member: "box2", state: "stored", paths: ["tool"], last_seen: MOMENT, pull_only: true },
      { member: "box3", state: "stored", paths: [], last_seen: null, why_not: "away" },
    ]);
    expect(after[0]).toEqual({
      member: "box2",
      state: "handed_over",
      handed_over: { path: "tool", session: "s1", ts: MOMENT },
    });
    expect(after[1]).toMatchObject({ member: "box3", state: "stored" });
  });

  test("does not count a peek, nor a message that is for somebody else", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "@box3 look" });
    await hub.as("box1").call("post_message", { body: "@box2 look" });

    await hub.as("box2").call("whats_new", { peek: true });
    await hub.as("box3").call("whats_new");
    const receipts = await receiptsWith(hub, "handed_over", 1);
    const others = await hub.as("box1").call("get_receipts", { message_id: 2 });

    expect(receipts).toMatchObject([{ member: "box3", state: "handed_over" }]);
    expect(others["receipts"]).toMatchObject([{ member: "box2", state: "stored" }]);
  });

  test("keeps the first hand-over when another session reads it too", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "@box2 look" });

    for (const session of ["s1", "s2"]) {
      const caller = await hub.hub.callers.byToken(hub.token("box2"), { address: "127.0.0.1", session });
      await (await execute(hub.hub.core, whatsNew, { caller, input: {} })).settled?.(true);
      hub.later({ minutes: 1 });
    }

    expect((await hub.as("box1").call("get_receipts", { message_id: 1 }))["receipts"]).toMatchObject([
      { member: "box2", handed_over: { session: "s1" } },
    ]);
  });

  test("tells of persons as of agents: what is handed to their agent did not reach them", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const posted = await hub.as("box1").call("post_message", { body: "@ann @ben look" });

    await hub.as("annbot").call("whats_new");
    await hub.as("ben").call("whats_new");
    const receipts = await receiptsWith(hub, "handed_over");

    expect(posted["mentioned"]).toEqual([
      { handle: "ann", paths: [], last_seen: null },
      { handle: "ben", paths: [], last_seen: null },
    ]);
    expect(receipts).toMatchObject([
      { member: "ann", state: "stored" },
      { member: "ben", state: "handed_over", handed_over: { path: "tool" } },
    ]);
    expect(await hub.as("ann").call("whats_new")).toMatchObject({ events: [{ message_id: 1, for_you: true }] });
  });

  test("goes through many members page by page", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "@room look" });

    const first = await hub.as("box1").call("get_receipts", { message_id: 1, limit: 3 });
    const rest = await hub.as("box1").call("get_receipts", { message_id: 1, ...first["next"] });

    const members = [first, rest].flatMap((page) =>
      (page["receipts"] as { member: string }[]).map((receipt) => receipt.member),
    );
    expect(first).toMatchObject({ count: 3, has_more: true });
    expect(members).toEqual(["boss", "box2", "box3", "chief", "roamer", "watcher"]);
  });

  test("refuses a message that is not in the room", async () => {
    await using hub = await start();
    await hub.as("opsbox").call("post_message", { body: "elsewhere" });

    expect(await hub.as("box1").try("get_receipts", { message_id: 1 })).toMatchObject({
      status: 404,
      code: "message_not_found",
    });
  });
});

onEachStore("acknowledge", (start) => {
  test("sets one bit that stays, wakes nobody and is no news", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "@box2 look" });
    await hub.as("box1").call("whats_new");
    const log = await hub.eventsOf("lobby");

    const first = await hub.as("box2").call("acknowledge", { message_id: 1 });
    hub.later({ minutes: 1 });
    const again = await hub.as("box2").call("acknowledge", { message_id: 1 });
    const { receipts } = await hub.as("box1").call("get_receipts", { message_id: 1 });

    expect(first).toEqual({ ok: true, message_id: 1, acknowledged_ts: MOMENT });
    expect(again).toEqual(first);
    expect(receipts).toEqual([{ member: "box2", state: "acknowledged", acknowledged_ts: first["acknowledged_ts"] }]);
    expect(await hub.eventsOf("lobby")).toEqual(log);
    expect(await hub.as("box1").call("wait_for_change", { timeout_s: 1 })).toMatchObject({ changed: false });
  });

  test("may be said by anyone who can read the room and write", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "to nobody" });

    await hub.as("box3").call("acknowledge", { message_id: 1 });
    const refusals = [
      await hub.as("watcher").try("acknowledge", { message_id: 1 }),
      await hub.as("opsbox").try("acknowledge", { message_id: 1 }),
      await hub.as("box3").try("acknowledge", { message_id: 2 }),
    ];

    expect((await hub.as("box1").call("get_receipts", { message_id: 1 }))["receipts"]).toMatchObject([
      { member: "box3", state: "acknowledged" },
    ]);
    expect(refusals.map((reply) => !reply.ok && reply.code)).toEqual([
      "not_allowed",
      "message_not_found",
      "message_not_found",
    ]);
  });

  test("stays further than a hand-over that comes later", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "@box2 look" });

    await hub.as("box2").call("acknowledge", { message_id: 1 });
    await hub.as("box2").call("whats_new");

    const [receipt] = await receiptsWith(hub, "acknowledged");
    expect(receipt).toMatchObject({ member: "box2", state: "acknowledged" });
  });
});
