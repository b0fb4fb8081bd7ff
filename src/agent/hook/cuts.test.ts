import { expect, test } from "vitest";
import { hookMachine } from "../../testkit/hook.ts";
import { onEachStore } from "../../testkit/hub.ts";

/** Two UTF-16 units, a character of several code points, and one of three bytes: each must stay whole on every cut. */
const CHARACTERS = ["🦊", "👩‍👩‍👧", "漢"];

onEachStore("what the hook cuts", (start) => {
  test("is well formed wherever a cut falls: in a text, in a title, and at the end of all", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    const texts: string[] = [];

    for (const character of CHARACTERS) {
      // Texts for the agent are cut at 2,000, for others at 400, titles at 120: before, in and behind a character.
      for (const length of [2_000, 400, 120]) {
        for (let shift = 0; shift < 4; shift++) {
          const text = `${"x".repeat(length - shift)}${character.repeat(20)}`;
          const body = length === 2_000 ? `@box2 ${text.slice(6)}` : text;
          if (length === 120) await hub.as("box1").call("create_task", { title: text });
          else await hub.as("box1").call("post_message", { body });
        }
        texts.push((await box2.at("UserPromptSubmit")).text);
      }
    }
    // More than fits into 9,000 characters, by one more each time.
    for (let shift = 0; shift < 3; shift++) {
      const body = `${"x".repeat(shift)}${"🦊".repeat(380)}`;
      await Promise.all(Array.from({ length: 25 }, () => hub.as("box1").call("post_message", { body })));
      texts.push((await box2.at("UserPromptSubmit")).text);
    }

    for (const text of texts) {
      expect(text.length).toBeGreaterThan(200);
      expect(text.length).toBeLessThanOrEqual(9_000);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain("\ufffd");
    }
    const cut = texts[0]?.match(/… \(\d+ more characters\)/g);
    expect(cut).toHaveLength(4);
  }, 60_000);
});
