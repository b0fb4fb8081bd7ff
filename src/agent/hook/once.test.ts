import { expect, test } from "vitest";
import { sql } from "../../store/sql.ts";
import type { Value } from "../../testkit/actor.ts";
import { hookMachine } from "../../testkit/hook.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

async function post(hub: TestHub, ...bodies: string[]) {
  for (const body of bodies) await hub.as("box1").call("post_message", { body });
}

const receiptOf = async (hub: TestHub, message_id: number) =>
  (await hub.as("box1").call("get_receipts", { message_id }))["receipts"][0] as Value;

onEachStore("the hook", (start) => {
  test("gives receipts once the next call has acknowledged what was printed, and for nothing that was left out", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    await post(hub, ...Array.from({ length: 7 }, (_, n) => `@box2 ${n} ${"x".repeat(1_900)}`));

    const { text } = await box2.at("UserPromptSubmit");
    const printed = await receiptOf(hub, 7);
    await box2.at("SessionEnd");

    expect(text).toContain("3 older ones (3 of them for you) are left out here");
    expect(printed).toMatchObject({ state: "stored" });
    const states = [];
    for (const number of [1, 2, 3, 4, 5, 6, 7]) states.push((await receiptOf(hub, number))["state"]);
    expect(states).toEqual(["stored", "stored", "stored", "handed_over", "handed_over", "handed_over", "handed_over"]);
    expect(await receiptOf(hub, 7)).toMatchObject({ handed_over: { path: "hook", session: "s1" } });
  });

  test("shows each item once to a session whatever paths fire, and to each session", async () => {
    await using hub = await start();
    using machine = hookMachine(hub, "box2");
    const box2 = machine.with({ CREWROOM_HOOK_MIN_INTERVAL: "0" });
    for (const session_id of ["s1", "s2"]) await box2.at("SessionStart", { session_id });
    await post(hub, "one");
    await hub.as("box2").in("s1").call("whats_new");
    await expect.poll(async () => (await hub.as("box2").in("s1").call("whats_new", { peek: true }))["count"]).toBe(0);
    await post(hub, "two");

    const shown = [];
    for (const session_id of ["s1", "s2"]) {
      for (const event of ["PostToolBatch", "UserPromptSubmit", "Stop"] as const)
        shown.push((await box2.at(event, { session_id })).text.match(/^\| .*/gm));
    }

    expect(shown).toEqual([["| two"], null, null, ["| one", "| two"], null, null]);
  });

  test("shows nothing twice when several run at once", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    await post(hub, "@box2 look");

    const runs = await Promise.all(
      (["UserPromptSubmit", "PostToolBatch", "UserPromptSubmit", "Stop"] as const).map((event) =>
        box2.with({ CREWROOM_HOOK_MIN_INTERVAL: "0" }).at(event),
      ),
    );

    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(
      runs
        .map(({ text }) => text)
        .join("\n")
        .match(/^\| @box2 look$/gm),
    ).toHaveLength(1);
  });

  test("shows again, marked, what a run had printed that died before it could note it", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    await post(hub, "@box2 one");
    await box2.at("UserPromptSubmit");
    await box2.at("UserPromptSubmit");
    await post(hub, "@box2 two");
    const asBefore = box2.remember();
    const lost = await box2.at("UserPromptSubmit");
    asBefore();
    box2.leaveLock();

    await post(hub, "@box2 three");
    const again = await box2.at("UserPromptSubmit");
    const after = await box2.at("UserPromptSubmit");

    expect(lost.text.match(/^\| .*/gm)).toEqual(["| @box2 two"]);
    expect(again.text.match(/^(m|\|).*/gm)).toEqual([
      expect.stringMatching(/^m2 by box1 .*, perhaps shown before$/),
      "| @box2 two",
      expect.stringMatching(/^m3 by box1 \d\d:\d\dZ$/),
      "| @box2 three",
    ]);
    expect(after.out).toBe("");
  });

  test("shows again, marked, what was fetched and never printed, and what nobody was left to read; none of it counts as seen", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    await post(hub, "@box2 one");
    await hub.as("box2").in("s1").call("catch_up", { ack: "0" });

    const unheard = await box2.unheard("UserPromptSubmit");
    const receipt = await receiptOf(hub, 1);
    const again = await box2.at("UserPromptSubmit");

    expect([unheard.code, unheard.err]).toEqual([0, expect.stringContaining("EPIPE")]);
    expect(receipt).toMatchObject({ state: "stored" });
    expect(again.text).toMatch(/^m1 by box1 .*, perhaps shown before$/m);
  });

  test("goes on after the hub was restored to another history", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    await post(hub, "one");
    await box2.at("UserPromptSubmit");
    await hub.hub.store.write("main", (tx) => tx.run(sql`update logs set epoch = 'restored0000'`));
    await post(hub, "two");

    const { text } = await box2.at("UserPromptSubmit");

    expect(text).toContain("| two");
  });
});
