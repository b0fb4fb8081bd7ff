import { expect, test } from "vitest";
import { hookMachine } from "../../testkit/hook.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { askToWake, latestEvent } from "../../testkit/wakes.ts";

const NOTIFICATION =
  "<task-notification><summary>Monitor event</summary><event>[crewroom] lobby: 1 new</event></task-notification>";

/** box2 was woken as often as it may be. */
async function withUsedBudget(start: (settings: Record<string, string>) => Promise<TestHub>): Promise<TestHub> {
  const hub = await start({ CREWROOM_WAKES_PER_HOUR: "1", CREWROOM_HOOK_MIN_INTERVAL: "0" });
  await hub.as("box1").call("post_message", { body: "@box2 one" });
  await askToWake(hub, "box2", { events: [await latestEvent(hub)] });
  return hub;
}

async function isWoken(hub: TestHub): Promise<boolean> {
  await hub.as("box1").call("post_message", { body: "@box2 more" });
  return (await askToWake(hub, "box2", { events: [await latestEvent(hub)] }))["wake"] as boolean; // the operation's own answer
}

onEachStore("the hook", (start) => {
  test("tells the hub that a person has come, and not when a program woke the session", async () => {
    const outcomes = [];
    for (const fields of [
      { prompt: NOTIFICATION },
      { prompt: "[crewroom] lobby: 1 new" },
      { prompt: "Go on.", source: "sdk" },
      { prompt: "Go on." },
    ]) {
      await using hub = await withUsedBudget(start);
      using box2 = hookMachine(hub, "box2");
      const { text } = await box2.at("UserPromptSubmit", fields);
      outcomes.push([text.includes("| @box2 one"), await isWoken(hub)]);
    }

    expect(outcomes).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });

  test("lets a turn end where its agent may be woken no more, and brings it all with the next prompt", async () => {
    await using hub = await withUsedBudget(start);
    using box2 = hookMachine(hub, "box2");
    await box2.at("UserPromptSubmit", { prompt: NOTIFICATION });
    await hub.as("box1").call("post_message", { body: "@box2 two" });

    const stop = await box2.at("Stop");
    const prompt = await box2.at("UserPromptSubmit", { prompt: "Go on." });

    expect(stop).toMatchObject({ code: 0, out: "" });
    expect(prompt.text).toContain("| @box2 two");
    expect((await hub.eventsOf("lobby")).at(-1)).toMatchObject({ kind: "wakes_paused" });
  });
});
