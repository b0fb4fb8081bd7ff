import { expect, test } from "vitest";
import { spawnCommand } from "../testkit/command.ts";
import { startTestHub } from "../testkit/hub.ts";

test("tail tells a person's agent of its questions in numbers and handles", async () => {
  await using hub = await startTestHub("sqlite");
  await hub.seatPeople();
  await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: "How many retries?" });

  const tail = spawnCommand(["tail"], { CREWROOM_URL: hub.url, CREWROOM_TOKEN: hub.token("benbot") });
  const shown = await new Promise<string>((resolve) =>
    tail.stdout?.once("data", (text: Buffer) => resolve(text.toString())),
  );
  tail.kill("SIGINT");
  await new Promise((resolve) => tail.once("exit", resolve));

  expect(shown).toMatch(/^\d\d:\d\d:\d\d annbot question_asked q1 from ann to ben\n$/);
});
