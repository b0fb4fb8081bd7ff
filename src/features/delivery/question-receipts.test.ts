import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { ask, until } from "../../testkit/news.ts";

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

const askBen = (hub: TestHub) =>
  hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "How many retries?" });

/** How far the open questions of a member have come, as check_replies tells its side. */
async function waitingOf(hub: TestHub, handle = "annbot"): Promise<Value[]> {
  return (await hub.as(handle).call("check_replies"))["waiting"] as Value[]; // the operation's own answer
}

/** Whether each of them was handed over. */
async function handedOver(hub: TestHub): Promise<boolean[]> {
  return (await waitingOf(hub)).map(({ recipient }) => "handed_over" in recipient);
}

/** Reads whats_new as a client does that takes its answer whole. */
async function readWhole(hub: TestHub, handle: string) {
  await (await ask(hub, {}, "rest", handle)).settled?.(true);
}

onEachStore("the receipt of a question", (start) => {
  test("tells its asker by what it gets there, and when it was handed over first", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const cold = await askBen(hub);
    const stored = await waitingOf(hub);

    await hub.as("benbot").in("s1").call("whats_new");
    await until(async () => (await handedOver(hub))[0] === true);
    hub.later({ minutes: 2 });
    await hub.as("ben").call("whats_new");
    const handed = await waitingOf(hub);
    const warm = await askBen(hub);

    expect(cold["recipient"]).toEqual({ paths: [], last_seen: null });
    expect(stored).toEqual([{ id: 1, to_user_id: "ben", expires_at: MOMENT, recipient: cold["recipient"] }]);
    expect(handed[0]?.["recipient"]).toEqual({
      paths: ["tool"],
      last_seen: MOMENT,
      pull_only: true,
      handed_over: { path: "tool", session: "s1", ts: MOMENT },
    });
    expect(warm["recipient"]).toEqual({ paths: ["tool"], last_seen: MOMENT, pull_only: true });
  });

  test("counts neither a peek nor an answer that was cut, and ends with the question", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askBen(hub);

    await hub.as("ben").call("whats_new", { peek: true });
    await (await ask(hub, {}, "rest", "ben")).settled?.(false);
    const unread = await handedOver(hub);
    await readWhole(hub, "ben");
    const read = await handedOver(hub);
    await hub.as("ben").call("decline_question", { message_id: 1 });

    expect([unread, read]).toEqual([[false], [true]]);
    expect(await waitingOf(hub)).toEqual([]);
  });

  test("is of the one it waits for now, and of nobody on the asking side", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askBen(hub);
    await hub.as("annbot").call("ask_person", { to_user_id: "ann", question: "May I merge?" });
    const { message_id } = await askBen(hub);
    await hub.as("ben").call("decline_question", { message_id });

    // That is news to ann's side, whose places then lie behind what it asked itself.
    for (const handle of ["benbot", "annbot", "annreader"]) await readWhole(hub, handle);
    await hub.as("ben").call("redirect_question", { message_id: 1, to_user_id: "cleo" });
    await readWhole(hub, "ben");
    const before = await handedOver(hub);
    for (const handle of ["cleo", "ann"]) await readWhole(hub, handle);

    expect((await waitingOf(hub)).map(({ to_user_id }) => to_user_id)).toEqual(["cleo", "ann"]);
    expect([before, await handedOver(hub)]).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});
