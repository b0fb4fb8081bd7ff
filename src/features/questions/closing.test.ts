import { expect, test } from "vitest";
import { sweepQuestions } from "../../housekeeping.ts";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { askAndSend, askForLevel, press, repliesOf } from "../../testkit/questions.ts";

/** The events of questions and who may know of each, oldest first. */
async function newsOf({ hub }: TestHub) {
  const rows = await hub.store.read((tx) =>
    tx.all<{ kind: string; actor: string; readers: string; concerns: string }>(sql`
      select e.kind, e.actor, e.concerns, e.room,
        (select string_agg(p.member, ' ' order by p.member) from personal_events p
          where p.organization = e.organization and p.position = e.position) as readers
      from events e
      where e.question is not null
      order by e.position`),
  );
  return rows.map(({ kind, actor, readers, concerns }) => `${kind} by ${actor} for ${readers}, above all ${concerns}`);
}

async function approvalsOf({ hub }: TestHub) {
  return (
    await hub.store.read((tx) => tx.all<{ state: string }>(sql`select state from approvals order by requested_at`))
  ).map((row) => row.state);
}

onEachStore("decline_question", (start) => {
  test("ends a question and the request for approval; the asker is told, the words of an agent stay inside", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id } = await askAndSend(hub);

    const answer = await hub.as("benbot").call("decline_question", { message_id, reason: "SECRET: three" });

    expect(answer).toEqual({ next: expect.any(String), declined: true, message_id, reason_told: false });
    const told = await repliesOf(hub);
    expect(told).toMatchObject([{ id: message_id, status: "declined", closed_by: "benbot", final_response: null }]);
    expect(JSON.stringify(told)).not.toContain("SECRET");
    const late = await (await hub.browser("ben")).try("approve_answer", { approval_id, hash: "00" });
    expect(late).toMatchObject({ status: 409, code: "approval_closed" });
    expect(await approvalsOf(hub)).toEqual(["void"]);
    expect((await newsOf(hub)).at(-1)).toBe("question_declined by benbot for ann ben, above all ann");
  });

  test("passes a reason on when its words are as surely the person's as an answer's must be", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let n = 0; n < 3; n++) await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Well?" });

    const byToken = await hub.as("ben").call("decline_question", { message_id: 1, reason: "Not mine." });
    const inBrowser = await (await hub.browser("ben")).call("decline_question", { message_id: 2, reason: "Not mine." });
    await askForLevel(hub, "asserted");
    const byWord = await hub.as("benbot").call("decline_question", { message_id: 3, reason: "Not his." });

    expect([byToken, inBrowser, byWord].map((answer) => answer["reason_told"])).toEqual([false, true, true]);
    expect((await repliesOf(hub)).map((reply) => reply["reason"])).toEqual([undefined, "Not mine.", "Not his."]);
  });

  test("is for the recipient while the question is open, and done once", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id } = await askAndSend(hub);

    const byAsker = await hub.as("ann").try("decline_question", { message_id });
    const atOnce = await Promise.all(
      ["ben", "benbot", "ben"].map((one) => hub.as(one).try("decline_question", { message_id })),
    );

    const sent = await hub.as("benbot").try("send_response", { message_id, final_text: "after all" });
    expect(sent).toMatchObject({
      code: "question_move",
      error: { data: { state: "declined", problem: "it is closed" } },
    });
    expect(byAsker).toMatchObject({
      status: 409,
      code: "question_move",
      error: { data: { state: "pending", problem: "only its recipient may" } },
    });
    expect(atOnce.filter((reply) => reply.ok).length).toBe(1);
    expect(atOnce.find((reply) => !reply.ok)).toMatchObject({
      code: "question_move",
      error: { data: { state: "declined" } },
    });
    expect((await newsOf(hub)).filter((line) => line.startsWith("question_declined")).length).toBe(1);
  });
});

onEachStore("withdraw_question", (start) => {
  test("takes a question back, by the person or its agent, and nothing is sent any more", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id } = await askAndSend(hub);
    const page = await hub.browser("ben");
    const shown = await page.call("show_approval", { approval_id });

    expect(await hub.as("ann").call("withdraw_question", { message_id })).toEqual({ withdrawn: true, message_id });

    const late = await page.try("approve_answer", { approval_id, hash: shown["hash"] });
    expect(late).toMatchObject({ status: 409, code: "approval_closed" });
    expect((await hub.as("ben").call("check_inbox"))["count"]).toBe(0);
    expect(await repliesOf(hub)).toEqual([]);
    expect((await newsOf(hub)).at(-1)).toBe("question_withdrawn by ann for ann ben, above all ben");
  });

  test("or it was answered before: of the two at once, one is so", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    for (let round = 1; round <= 6; round++) {
      const { message_id, approval_id } = await askAndSend(hub);

      const [pressed, withdrawn] = await Promise.all([
        press(page, approval_id),
        hub.as("annbot").try("withdraw_question", { message_id }),
      ]);

      expect([pressed.ok, withdrawn.ok].filter(Boolean).length).toBe(1);
      const answered = (await repliesOf(hub)).some((reply) => reply["id"] === message_id);
      expect(answered).toBe(pressed.ok);
    }
  });

  test("is for the asker alone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id } = await askAndSend(hub);

    expect(await hub.as("ben").try("withdraw_question", { message_id })).toMatchObject({
      code: "question_move",
      error: { data: { state: "awaiting_approval", problem: "only its asker may" } },
    });
  });
});

onEachStore("redirect_question", (start) => {
  test("hands a question on without its drafts, tells the asker, and leaves nothing with who had it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id } = await askAndSend(hub, "SECRET draft");
    const page = await hub.browser("ben");
    const shown = await page.call("show_approval", { approval_id });

    const answer = await hub.as("benbot").call("redirect_question", { message_id, to_user_id: "cleo" });

    expect(answer).toMatchObject({ redirected: true, message_id, to: { user_id: "cleo" } });
    const inbox = await hub.as("cleo").call("check_inbox");
    expect(inbox["pending"]).toMatchObject([
      { id: message_id, status: "pending", draft_response: null, from_user_id: "ann" },
    ]);
    expect(JSON.stringify(inbox)).not.toContain("SECRET");
    expect(await repliesOf(hub)).toMatchObject([{ id: message_id, status: "pending", to_user_id: "cleo" }]);
    const late = [
      await page.try("approve_answer", { approval_id, hash: shown["hash"] }),
      await hub.as("ben").try("send_response", { message_id }),
      await hub.as("cleo").try("send_response", { message_id }),
      await hub.as("cleo").try("show_approval", { approval_id }),
    ];
    expect(late.map((reply) => !reply.ok && reply.code)).toEqual([
      "approval_closed",
      "question_not_found",
      "draft_needed",
      "approval_not_found",
    ]);
    expect((await newsOf(hub)).at(-1)).toBe("question_redirected by benbot for ann ben cleo, above all ann cleo");
  });

  test("comes back with nothing of the first round", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id } = await askAndSend(hub, "SECRET draft");
    await hub.as("ben").call("redirect_question", { message_id, to_user_id: "cleo" });
    await hub.as("cleo").call("propose_response", { message_id, draft_text: "cleo's draft" });

    await hub.as("cleo").call("redirect_question", { message_id, to_user_id: "ben" });

    expect((await hub.as("ben").call("check_inbox"))["pending"]).toMatchObject([
      { id: message_id, draft_response: null },
    ]);
    expect(await hub.as("ben").try("send_response", { message_id })).toMatchObject({ code: "draft_needed" });
  });

  test("goes to another person only", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id } = await askAndSend(hub);
    const before = await hub.state();

    const replies = [];
    for (const to_user_id of ["ann", "ben", "benbot", "nobody", "zoe"])
      replies.push(await hub.as("ben").try("redirect_question", { message_id, to_user_id }));

    expect(replies.map((reply) => !reply.ok && `${reply.status} ${reply.code}`)).toEqual([
      "400 bad_input",
      "400 bad_input",
      "404 person_not_found",
      "404 person_not_found",
      "404 person_not_found",
    ]);
    expect(await hub.state()).toBe(before);
  });
});

onEachStore("a question's deadline", (start) => {
  test("ends everything at that moment, told by the sweep, whatever state it is in", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Well?" });
    const { message_id, approval_id } = await askAndSend(hub);
    const page = await hub.browser("ben");
    const shown = await page.call("show_approval", { approval_id });
    hub.later({ days: 7 });

    const late = [
      await page.try("approve_answer", { approval_id, hash: shown["hash"] }),
      await page.try("reject_draft", { approval_id }),
      await hub.as("benbot").try("send_response", { message_id }),
      await hub.as("benbot").try("propose_response", { message_id, draft_text: "late" }),
      await hub.as("annbot").try("withdraw_question", { message_id }),
    ];

    expect(late.map((reply) => !reply.ok && `${reply.status} ${reply.code}`)).toEqual([
      "410 approval_expired",
      "410 approval_expired",
      "409 question_move",
      "409 question_move",
      "409 question_move",
    ]);
    expect((await hub.as("ben").call("check_inbox"))["count"]).toBe(0);
    expect((await hub.as("ben").call("list_approvals"))["count"]).toBe(0);
    expect(await repliesOf(hub)).toEqual([]);
    await Promise.all([sweepQuestions(hub.hub.core), sweepQuestions(hub.hub.core)]);
    expect(await repliesOf(hub)).toMatchObject([
      { id: 1, status: "expired" },
      { id: message_id, status: "expired" },
    ]);
    expect(await approvalsOf(hub)).toEqual(["void"]);
    const expired = "question_expired by crewroom for ann ben, above all ann ben";
    expect((await newsOf(hub)).filter((line) => line.startsWith("question_expired"))).toEqual([expired, expired]);
  });
});

onEachStore("who may know of a question", (start) => {
  test("is its two people, and of drafts the one who is asked", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id } = await askAndSend(hub);
    await hub.as("ben").call("reject_draft", { approval_id, reason: "Say why." });
    const { approval_id: second } = await hub
      .as("benbot")
      .call("send_response", { message_id, final_text: "Three, for …" });
    await press(await hub.browser("ben"), second);

    expect(await newsOf(hub)).toEqual([
      "question_asked by annbot for ann ben, above all ben",
      "question_drafted by benbot for ben, above all ",
      "approval_requested by benbot for ben, above all ben",
      "draft_rejected by ben for ben, above all benbot",
      "question_drafted by benbot for ben, above all ",
      "approval_requested by benbot for ben, above all ben",
      "question_answered by ben for ann ben, above all ann",
    ]);
  });
});
