import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { openSession } from "../../testkit/bridge.ts";
import { hookMachine } from "../../testkit/hook.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

const SESSIONS = Array.from({ length: 8 }, (_, n) => `s${n}`);

async function makeTasks(hub: TestHub, count: number) {
  for (let n = 0; n < count; n++) await hub.as("box1").call("create_task", { title: `task ${n}` });
}

const isWon = ({ claimed }: Value) => claimed === true;

onEachStore("a claim of one of a member's sessions", (start) => {
  test("is held by one of eight that claim at once, and the others are told which", async () => {
    await using hub = await start();
    await makeTasks(hub, 5);

    for (const task_id of [1, 2, 3, 4, 5]) {
      const answers = await Promise.all(
        SESSIONS.map((session) => hub.as("box2").in(session).call("claim_task", { task_id })),
      );
      const holder = SESSIONS[answers.findIndex(isWon)];
      expect(answers.filter(isWon)).toHaveLength(1);
      expect(new Set(answers.filter((one) => !isWon(one)).map((one) => one["holder_session"]))).toEqual(
        new Set([holder]),
      );
    }
  });

  test("is given out by claim_next to each of eight but once", async () => {
    await using hub = await start();
    await makeTasks(hub, 5);

    const answers = await Promise.all(SESSIONS.map((session) => hub.as("box2").in(session).call("claim_next")));

    const given = answers.filter(isWon).map((one) => one["task"].id as number);
    expect(given.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5]);
  });

  test("comes to nobody else by a key that another session used, and again to its own", async () => {
    await using hub = await start();
    await makeTasks(hub, 2);
    const claim = (session: string, operation: string, input: Value = {}) =>
      hub.as("box2").in(session).call(operation, input, { key: "claim-1" });

    const first = await claim("left", "claim_task", { task_id: 1 });
    const sibling = await claim("right", "claim_task", { task_id: 1 });
    const again = await claim("left", "claim_task", { task_id: 1 });
    const next = await Promise.all(["left", "right"].map((session) => claim(session, "claim_next")));
    const reused = await hub.as("box2").in("left").try("claim_task", { task_id: 2 }, { key: "claim-1" });

    expect(again).toEqual(first);
    expect(sibling).toMatchObject({ claimed: false, holder: "box2", holder_session: "left" });
    expect(next.filter(isWon)).toHaveLength(1);
    expect(reused).toMatchObject({ ok: false, code: "key_reused", message: expect.stringContaining("claim-1") });
  });

  test("is renewed by that session's hook, not by its sibling's calls, and then goes to who asks next", async () => {
    await using hub = await start();
    await makeTasks(hub, 1);
    using machine = hookMachine(hub, "box2");
    const prompt = (session_id: string) => machine.at("UserPromptSubmit", { session_id });
    await prompt("left");
    await hub.as("box2").in("left").call("claim_task", { task_id: 1 });
    const tryRight = () => hub.as("box2").in("right").call("claim_task", { task_id: 1 });

    hub.later({ minutes: 20 });
    await prompt("left");
    hub.later({ minutes: 20 });
    const renewed = await tryRight();
    hub.later({ minutes: 11 });
    const ended = await tryRight();

    expect(renewed).toMatchObject({ claimed: false, holder_session: "left" });
    expect(ended).toMatchObject({ claimed: true, claim_number: 2 });
  });

  test("is told apart through two bridges on one token, of which one may take over by asking", async () => {
    await using hub = await start();
    await makeTasks(hub, 1);
    await using machine = await openSession(hub, "box2");
    await using left = machine.bridge({ CLAUDE_CODE_SESSION_ID: "left", CLAUDE_CODE_MESSAGING_SOCKET: "" });
    await using right = machine.bridge({ CLAUDE_CODE_SESSION_ID: "right", CLAUDE_CODE_MESSAGING_SOCKET: "" });
    const claim = async (bridge: typeof left, input: Value = {}) =>
      JSON.parse(await bridge.tool("claim_task", { task_id: 1, ...input })) as Value;

    const first = await claim(left);
    const sibling = await claim(right);
    const taken = await claim(right, { take_over: true });
    const turned = await claim(left);

    expect([first, sibling, taken, turned].map(isWon)).toEqual([true, false, true, false]);
    expect([sibling, turned].map((one) => one["holder_session"])).toEqual(["left", "right"]);
    expect(sibling["reason"]).toContain("take_over: true");
  });
});
