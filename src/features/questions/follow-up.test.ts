import { expect, test } from "vitest";
import { sql } from "../../store/sql.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { askAndSend, press } from "../../testkit/questions.ts";

onEachStore("follow_up", (start) => {
  test("asks whoever answered again, in the same thread", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id } = await askAndSend(hub);
    await press(await hub.browser("ben"), approval_id);

    const sent = await hub.as("annbot").call("follow_up", { message_id, question: "Why three?" });

    expect(sent).toMatchObject({ sent: true, message_id: 2, to: { user_id: "ben" }, follows: 1 });
    expect((await hub.as("ben").call("check_inbox"))["pending"]).toMatchObject([
      { id: 2, from_user_id: "ann", follows: 1 },
    ]);
    const threads = await hub.hub.store.read((tx) => tx.all(sql`select number, thread from questions order by number`));
    expect(threads).toEqual([
      { number: 1, thread: 1 },
      { number: 2, thread: 1 },
    ]);
  });

  test("is for the asker alone, and for an answer alone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id } = await askAndSend(hub);
    const early = await hub.as("ann").try("follow_up", { message_id, question: "And?" });
    await press(await hub.browser("ben"), approval_id);

    const replies = [
      await hub.as("ben").try("follow_up", { message_id, question: "And?" }),
      await hub.as("cleo").try("follow_up", { message_id, question: "And?" }),
      await hub.as("ann").try("follow_up", { message_id: 99, question: "And?" }),
    ];

    expect(early).toMatchObject({ status: 409, code: "question_move", error: { data: { state: "pending" } } });
    expect(replies).toMatchObject(replies.map(() => ({ status: 404, code: "question_not_found" })));
  });
});
