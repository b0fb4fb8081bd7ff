import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { askAndSend } from "../../testkit/questions.ts";

onEachStore("check_inbox", (start) => {
  test("gives what waits, oldest first, in pages that meet without a gap", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let n = 1; n <= 7; n++)
      await hub.as(n % 2 ? "ann" : "cleo").call("ask_person", { to_user_id: "ben", question: `Well, ${n}?` });
    await hub.as("ben").call("decline_question", { message_id: 4 });

    const pages: Value[] = [];
    for (let next: Value | null = {}; next !== null; next = pages.at(-1)?.["next"])
      pages.push(await hub.as("benbot").call("check_inbox", { ...next, limit: 4 }));

    expect(pages.map((page) => page["pending"].map((item: Value) => item["id"]))).toEqual([
      [1, 2, 3, 5],
      [6, 7],
    ]);
  });

  test("gives as many of the longest questions as an answer can hold", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let n = 1; n <= 4; n++)
      await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "€".repeat(16_000) });

    const page = await hub.as("benbot").call("check_inbox");

    expect([page["count"], page["has_more"], page["next"]]).toEqual([1, true, { since_id: 1 }]);
  });

  test("shows the draft, who wrote it, where it is approved, and why it was rejected", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id, sent } = await askAndSend(hub, "Three.");
    const waiting = (await hub.as("benbot").call("check_inbox"))["pending"];
    await hub.as("ben").call("reject_draft", { approval_id, reason: "Say why." });
    const rejected = (await hub.as("benbot").call("check_inbox"))["pending"];
    await hub.as("benbot").call("propose_response", { message_id: 1, draft_text: "Three, for …" });
    const redrafted = (await hub.as("benbot").call("check_inbox"))["pending"];

    expect(waiting).toMatchObject([
      { status: "awaiting_approval", draft_response: "Three.", draft_by: "benbot", approve_url: sent["approve_url"] },
    ]);
    expect(rejected).toMatchObject([{ status: "drafted", draft_response: "Three.", rejected: "Say why." }]);
    expect(redrafted[0]).toMatchObject({ status: "drafted", draft_response: "Three, for …" });
    expect(redrafted[0]).not.toHaveProperty("rejected");
  });

  test("changes nothing by being read", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askAndSend(hub);
    const before = await hub.state();

    await hub.as("benbot").call("check_inbox");
    await hub.as("ben").call("list_approvals");

    expect(await hub.state()).toBe(before);
  });
});
