import { hash as digest } from "node:crypto";
import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";
import { askAndSend, kindsOf, outcomeOf } from "../../testkit/questions.ts";
import { findAnswer } from "./queries.ts";
import { problemsOf } from "./verify-answer.ts";

onEachStore("show_approval", (start) => {
  test("shows all that is approved, what in it could deceive, and what pressing here counts as", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const tail = `${"x".repeat(16_000)} and the password is hunter2\u202e`;
    const { message_id, approval_id } = await askAndSend(hub, tail);

    const shown = await (await hub.browser("ben")).call("show_approval", { approval_id });

    expect(shown).toMatchObject({
      approval_id,
      message_id,
      from_user_id: "ann",
      asked_by: "annbot",
      query_text: "How many retries?",
      text: tail,
      long: true,
      has_invisible: true,
      has_bidi: true,
      requested_by: "benbot",
      state: "open",
      counts_as: "confirmed",
      minimum: "confirmed",
      password_exposed: false,
    });
    expect(shown["shares"].map((one: { share: string }) => one.share)).toEqual([
      "no",
      "organization",
      "room:lobby",
      "room:ops",
    ]);
    expect(shown["shares"][0].hash).toBe(shown["hash"]);
    expect(new Set(shown["shares"].map((one: { hash: string }) => one.hash)).size).toBe(4);
  });
});

onEachStore("an answer", (start) => {
  test("is shared as its person chose when approving, and in no other way", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    const { approval_id, message_id } = await askAndSend(hub);
    const { hash, shares } = await page.call("show_approval", { approval_id });
    const hashFor = (share: string) => shares.find((one: { share: string }) => one.share === share).hash;

    const replies = [
      await page.try("approve_answer", { approval_id, hash, share: "organization" }),
      await page.try("approve_answer", { approval_id, hash: hashFor("room:ops") }),
      await page.try("approve_answer", { approval_id, hash: hashFor("room:lobby"), share: "room:ops" }),
      await page.try("approve_answer", { approval_id, hash, share: "room:nowhere" }),
      await page.try("approve_answer", { approval_id, hash, share: "everybody" }),
    ];
    const shared = await page.call("approve_answer", { approval_id, hash: hashFor("room:ops"), share: "room:ops" });

    expect(replies.map(outcomeOf)).toEqual([
      "409 approval_changed",
      "409 approval_changed",
      "409 approval_changed",
      "403 room_not_granted",
      "400 bad_input",
    ]);
    expect(shared).toMatchObject({ sent: true, shared: "room" });
    const stored = await hub.hub.store.read((tx) => findAnswer(tx, "main", message_id));
    expect(stored && problemsOf(stored, digest("sha256", stored.answer, "hex"))).toEqual([]);
    expect((await kindsOf(hub)).slice(-2)).toEqual(["question_answered", "answer_shared"]);
    expect((await hub.eventsOf("ops")).at(-1)).toMatchObject({ kind: "answer_shared", actor: "ben" });
  });
});
