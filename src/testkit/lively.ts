import type { TestHub } from "./hub.ts";
import { askAndSend, press } from "./questions.ts";

/** Does a little of everything that leaves rows: chat, a retraction, the board, a file, questions with an answer, a key, sign-ins. */
export async function liveALittle(hub: TestHub): Promise<void> {
  await hub.seatPeople();
  const [box1, box2] = [hub.as("box1"), hub.as("box2")];
  await box1.call(
    "post_message",
    { body: "The build of @box2 is green: naïve 漢字 \u{1f680}\n\ttabs and 'quotes'." },
    { key: "k1" },
  );
  await box2.call("post_message", { body: "Thanks.", reply_to: 1 });
  await box2.call("post_message", { body: "I did not mean that." });
  await box2.call("retract_message", { message_id: 3 });
  await box1.call("create_task", { title: "Mend the pump", body: "It leaks.", labels: ["pump"], priority: 1 });
  await box1.call("create_task", { title: "Paint it", depends_on: [1] });
  await box2.call("claim_task", { task_id: 1 });
  await box2.call("add_note", { task_id: 1, body: "Ordered the seal." });
  await box1.call("put_file", {
    name: "pump.log",
    content_base64: Buffer.from("pressure 3.1\n\0\xff", "latin1").toString("base64"),
  });
  await box2.call("whats_new");
  const { approval_id } = await askAndSend(hub, "Three.");
  await press(await hub.browser("ben"), approval_id);
  await hub.as("annbot").call("ask_person", { to_user_id: "cleo", question: "Which colour?" });
}
