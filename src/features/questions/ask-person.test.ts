import { expect, test } from "vitest";
import type { Actor, Value } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { askAndSend, press } from "../../testkit/questions.ts";

/** What sharing with the organization is pressed with. */
async function toAll(page: Actor, approval_id: string): Promise<Value> {
  const { shares } = await page.call("show_approval", { approval_id });
  return shares.find((choice: Value) => choice["share"] === "organization");
}

onEachStore("ask_person", (start) => {
  test("points to similar questions whose answers the asker may see: its own, and shared ones", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    const question = "How many retries does the payments service make?";
    const kept = await askAndSend(hub, "Three.", { question });
    await press(page, kept.approval_id);
    const asking = { to_user_id: "ben", question: "How many retries in the payments service?" };

    const again = await hub.as("ann").call("ask_person", asking);
    const other = await hub.as("cleo").call("ask_person", asking);
    const shared = await askAndSend(hub, "Five by now.", { question });
    const answered = await press(page, shared.approval_id, await toAll(page, shared.approval_id));
    const later = await hub.as("cleo").call("ask_person", asking);
    const found = await hub.as("cleo").call("search_answers", { query: "payments FIVE" });

    expect(again["similar"]).toMatchObject([{ message_id: kept.message_id, question, answered_by: "ben" }]);
    expect(other["similar"]).toBeUndefined();
    expect(answered).toMatchObject({ ok: true, value: { shared: "organization" } });
    expect(later["similar"]).toMatchObject([{ message_id: shared.message_id }]);
    expect(found["answers"]).toMatchObject([
      { message_id: shared.message_id, answer: "Five by now.", shared: "organization" },
    ]);
  });
});
