import { expect, test } from "vitest";
import { execute } from "../../core/execute.ts";
import { sql } from "../../store/sql.ts";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { askAndSend, askForLevel, press, repliesOf } from "../../testkit/questions.ts";
import { sendResponse } from "./send-response.ts";

/** ben's agent sends after ben has accepted in its client's prompt what that hash stands for. */
async function sendWithConsent({ hub, token }: TestHub, input: Value, consent: string) {
  const caller = await hub.callers.byToken(token("benbot"), { address: "127.0.0.1", session: "-" });
  return (await execute(hub.core, sendResponse, { caller, input, consent, surface: "mcp" })).value;
}

async function hashOf(hub: TestHub): Promise<string> {
  const { approvals } = await hub.as("benbot").call("list_approvals");
  return approvals[0]["hash"];
}

async function draftsOf({ hub }: TestHub) {
  return hub.store.read((tx) => tx.all(sql`select revision, text, written_by from drafts order by question, revision`));
}

onEachStore("send_response", (start) => {
  test("lets a draft wait for its person by default, and the press delivers it without the agent", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id, sent } = await askAndSend(hub, "Three.");
    expect(sent).toEqual({
      next: expect.stringContaining("Ask ben to open approve_url"),
      sent: false,
      state: "awaiting_approval",
      reason: "ben has not approved this text; the organization asks for confirmed",
      approval_id,
      approve_url: `${hub.url}/approve/${approval_id}`,
      message_id,
      from_user_id: "ann",
    });
    expect(await repliesOf(hub)).toEqual([]);

    const pressed = await press(await hub.browser("ben"), approval_id);

    expect(pressed).toMatchObject({ ok: true, value: { sent: true, final_text: "Three.", assurance: "confirmed" } });
    expect(await repliesOf(hub)).toMatchObject([
      { id: message_id, status: "answered", final_response: "Three.", assurance: "confirmed", approved_by: "ben" },
    ]);
  });

  test("sends nothing without a draft, and nothing that shows nothing", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Well?" });
    const benbot = hub.as("benbot");

    const early = [
      await benbot.try("send_response", { message_id: 1 }),
      await benbot.try("send_response", { message_id: 1, final_text: "Three." }),
      await benbot.try("propose_response", { message_id: 1, draft_text: " \u200b\n" }),
      await benbot.try("propose_response", { message_id: 1, draft_text: "x".repeat(16_385) }),
    ];

    expect(early.map((reply) => reply.ok || `${reply.status} ${reply.code}`)).toEqual([
      "409 draft_needed",
      "409 draft_needed",
      "400 bad_input",
      "400 bad_input",
    ]);
    expect(await draftsOf(hub)).toEqual([]);
  });

  test("keeps another text as the next draft, which alone can be approved from then on", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id: first, message_id } = await askAndSend(hub, "yes");
    const page = await hub.browser("ben");
    const seen = await page.call("show_approval", { approval_id: first });

    const { approval_id: second } = await hub.as("benbot").call("send_response", { message_id, final_text: "no" });

    expect(second).not.toBe(first);
    const late = await page.try("approve_answer", { approval_id: first, hash: seen["hash"] });
    expect(late).toMatchObject({ status: 409, code: "approval_closed", error: { data: { state: "void" } } });
    expect(await repliesOf(hub)).toEqual([]);
    expect(await press(page, second)).toMatchObject({ ok: true, value: { final_text: "no" } });
    expect(await draftsOf(hub)).toEqual([
      { revision: 1, text: "yes", written_by: "benbot" },
      { revision: 2, text: "no", written_by: "benbot" },
    ]);
  });

  test("asks once for the same text, however often it is sent or proposed", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id, sent } = await askAndSend(hub, "Three.");
    const before = await hub.state();
    const benbot = hub.as("benbot");

    const again = [
      await benbot.call("send_response", { message_id }),
      await benbot.call("send_response", { message_id, final_text: "Three." }, { key: "k" }),
      await benbot.call("send_response", { message_id, final_text: "Three." }, { key: "k" }),
    ];
    await benbot.call("propose_response", { message_id, draft_text: "Three." });

    expect(again).toEqual([sent, sent, sent]);
    expect(await hub.state()).toBe(before);
    expect(await press(await hub.browser("ben"), approval_id)).toMatchObject({ ok: true });
  });

  test("answers with the first result after that, whatever it is given: an answer is final", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, approval_id } = await askAndSend(hub, "Three.");
    await press(await hub.browser("ben"), approval_id);
    const delivered = await repliesOf(hub);
    const before = await hub.state();
    const benbot = hub.as("benbot");

    const again = [
      await benbot.call("send_response", { message_id }),
      await benbot.call("send_response", { message_id, final_text: "Four!" }, { key: "another" }),
    ];
    const redrafted = await benbot.try("propose_response", { message_id, draft_text: "Four!" });
    const sameAgain = await benbot.try("propose_response", { message_id, draft_text: "Three." });

    const first = { sent: true, message_id, final_text: "Three.", assurance: "confirmed", shared: "no" };
    expect(again).toEqual(again.map(() => ({ ...first, answered_at: delivered[0]?.["answered_at"] })));
    expect([redrafted, sameAgain]).toMatchObject([
      { status: 409, code: "question_move" },
      { status: 409, code: "question_move" },
    ]);
    expect(await hub.state()).toBe(before);
    expect(await repliesOf(hub)).toEqual(delivered);
  });

  test("sends at once where the organization takes an agent's word, and says that it was no more than that", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "asserted");

    const { message_id, sent } = await askAndSend(hub, "Three.");

    expect(sent).toMatchObject({ sent: true, message_id, final_text: "Three.", assurance: "asserted" });
    expect(await repliesOf(hub)).toMatchObject([
      { final_response: "Three.", assurance: "asserted", approved_by: "benbot" },
    ]);
  });

  test("takes what the person accepted in its client's prompt, where that is enough, for exactly that text", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "prompted");
    const { message_id, sent } = await askAndSend(hub, "Three.");
    const hash = await hashOf(hub);
    expect(sent).toMatchObject({ sent: false, consent: { text: "Three.", hash } });

    const other = await sendWithConsent(hub, { message_id, final_text: "Three!" }, hash);
    const unknown = await sendWithConsent(hub, { message_id, final_text: "Three." }, hash);
    expect([other, unknown].map((answer) => answer["sent"])).toEqual([false, false]);
    expect(await repliesOf(hub)).toEqual([]);
    const accepted = await sendWithConsent(hub, { message_id, final_text: "Three." }, await hashOf(hub));

    expect(accepted).toMatchObject({ sent: true, final_text: "Three.", assurance: "prompted" });
    expect(await repliesOf(hub)).toMatchObject([{ assurance: "prompted", approved_by: "ben" }]);
  });

  test("never takes a prompt for more than a prompt, nor for what a prompt cannot show", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id, sent } = await askAndSend(hub, "Three.");
    expect(sent).not.toHaveProperty("consent");
    const below = await sendWithConsent(hub, { message_id }, await hashOf(hub));
    await askForLevel(hub, "prompted");
    const odd = [];
    for (const final_text of ["x".repeat(2_001), "Th\u200bree", "Th\u202eree"]) {
      odd.push(await hub.as("benbot").call("send_response", { message_id, final_text }));
      odd.push(await sendWithConsent(hub, { message_id }, await hashOf(hub)));
    }

    expect(below).toMatchObject({ sent: false });
    expect(odd).toMatchObject(odd.map(() => ({ sent: false })));
    expect(odd.filter((answer) => "consent" in answer)).toEqual([]);
    expect(await repliesOf(hub)).toEqual([]);
  });

  test("lets twenty drafts of one agent wait for its person, not a flood of them", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const benbot = hub.as("benbot");
    for (let n = 1; n <= 21; n++) {
      await hub.as(n > 15 ? "cleo" : "ann").call("ask_person", { to_user_id: "ben", question: `Well, ${n}?` });
      await benbot.call("propose_response", { message_id: n, draft_text: "Yes." });
    }

    const replies = await Promise.all(
      Array.from({ length: 21 }, (_, n) => benbot.try("send_response", { message_id: n + 1 })),
    );

    expect(replies.filter((reply) => reply.ok).length).toBe(20);
    expect(replies.find((reply) => !reply.ok)).toMatchObject({ status: 409, code: "too_many" });
    const { approvals } = await hub.as("ben").call("list_approvals", { limit: 100 });
    expect(approvals.length).toBe(20);
  });

  test("is for the recipient's side alone; to everybody else the question is not there", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { message_id } = await askAndSend(hub);

    for (const handle of ["ann", "annbot", "cleo", "dora", "zoe", "zoebot"]) {
      const calls = [
        await hub.as(handle).try("propose_response", { message_id, draft_text: "mine" }),
        await hub.as(handle).try("send_response", { message_id }),
        await hub.as(handle).try("send_response", { message_id: 999 }),
      ];
      expect(calls, handle).toMatchObject(calls.map(() => ({ status: 404, code: "question_not_found" })));
    }
  });
});
