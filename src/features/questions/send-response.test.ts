import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";
import { askAndSend, askForLevel, press, repliesOf } from "../../testkit/questions.ts";

onEachStore("send_response", (start) => {
  test("lets a draft wait for its person by default, and the press delivers it without the agent", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id, sent } = await askAndSend(hub, "Three.");
    expect(sent).toMatchObject({
      sent: false,
      state: "awaiting_approval",
      approve_url: `${hub.url}/approve/${approval_id}`,
    });
    expect(await repliesOf(hub)).toEqual([]);

    const pressed = await press(await hub.browser("ben"), approval_id);

    expect(pressed).toMatchObject({ ok: true, value: { sent: true, final_text: "Three.", assurance: "confirmed" } });
    expect(await repliesOf(hub)).toMatchObject([
      { id: message_id, status: "answered", final_response: "Three.", assurance: "confirmed", approved_by: "ben" },
    ]);
  });
});
