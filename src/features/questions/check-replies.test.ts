import { expect, test } from "vitest";
import { sweepQuestions } from "../../housekeeping.ts";
import { sql } from "../../store/sql.ts";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { connect } from "../../testkit/mcp-client.ts";
import { askAndSend, askForLevel, press, repliesOf } from "../../testkit/questions.ts";

/** ben's agent answers ann's question in one go, where its word is enough. */
async function answerAtOnce(hub: TestHub, message_id: number) {
  const benbot = hub.as("benbot");
  await benbot.call("propose_response", { message_id, draft_text: `answer ${message_id}` });
  await benbot.call("send_response", { message_id });
}

async function askMany(hub: TestHub, count: number) {
  for (let n = 0; n < count; n++)
    await hub.as("annbot").call("ask_person", { to_user_id: "ben", question: `Well, ${n}?` });
}

const idsOf = (answer: Value): number[] => answer["replies"].map((reply: Value) => reply["id"]);

onEachStore("check_replies", (start) => {
  test("tells answers oldest first, once for a reader that goes on from the cursor or from the last time", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "asserted");
    await askMany(hub, 5);
    for (const number of [4, 1, 3]) await answerAtOnce(hub, number);
    const ann = hub.as("ann");

    const first = await ann.call("check_replies", { limit: 2 });
    const second = await ann.call("check_replies", first["next"]);
    const byTime = await ann.call("check_replies", { since: first["replies"][1]["told_at"] });

    expect([idsOf(first), idsOf(second), idsOf(byTime)]).toEqual([[4, 1], [3], [3]]);
    expect([first["has_more"], second["has_more"], second["next"]]).toEqual([true, false, null]);
    expect(idsOf(await ann.call("check_replies", { cursor: second["cursor"] }))).toEqual([]);
    await answerAtOnce(hub, 2);
    expect(idsOf(await ann.call("check_replies", { cursor: second["cursor"] }))).toEqual([2]);
    expect(idsOf(await hub.as("annbot").call("check_replies"))).toEqual([4, 1, 3, 2]);
  });

  test("compares since as a time, whatever its form and zone, strictly, and refuses what is none", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "asserted");
    await askMany(hub, 1);
    await answerAtOnce(hub, 1);
    const ann = hub.as("ann");
    const answered = Date.parse((await repliesOf(hub))[0]?.["answered_at"]);
    const inZone = (ms: number) => new Date(answered + ms + 7_200_000).toISOString().replace("Z", "+02:00");
    const python = (ms: number) => new Date(answered + ms).toISOString().replace("Z", "000+00:00");

    const seen = [];
    for (const ms of [-1, 0, 1])
      for (const form of [inZone(ms), python(ms), new Date(answered + ms).toISOString()])
        seen.push((await ann.call("check_replies", { since: form }))["count"]);

    expect(seen).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0]);
    expect((await ann.call("check_replies", { since: "1970-01-01T00:00:00+00:00" }))["count"]).toBe(1);
    for (const since of [
      "not-a-date",
      "",
      "yesterday",
      "2026-02-31T00:00:00Z",
      "2026-01-01T00:00:00",
      "1",
      "+275760-09-13T00:00:00Z",
    ])
      expect(await ann.try("check_replies", { since }), since).toMatchObject({ status: 400, code: "bad_input" });
  });

  test("refuses a cursor that is not this hub's, is of another history, or ahead of all it told", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ann = hub.as("ann");
    const refused = [];

    for (const cursor of ["banana", "otherepoch00.5", "9999999999999", "-1", "1e3"])
      refused.push(await ann.try("check_replies", { cursor }));
    const both = await ann.try("check_replies", { since: "2026-01-01T00:00:00Z", cursor: "0" });

    expect(refused.map((reply) => !reply.ok && `${reply.status} ${reply.code}`)).toEqual([
      "400 unknown_cursor",
      "410 epoch_changed",
      "400 cursor_ahead",
      "400 unknown_cursor",
      "400 unknown_cursor",
    ]);
    expect(both).toMatchObject({ status: 400, code: "bad_input" });
    const ahead = await ann.call("check_replies", { since: "2099-01-01T00:00:00Z" });
    expect(await ann.try("check_replies", { cursor: ahead["cursor"] })).toMatchObject({
      ok: true,
      value: { count: 0 },
    });
  });

  test("loses and repeats no answer for a reader that polls while many come at once", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "asserted");
    await askMany(hub, 18);
    const bySince: number[] = [];
    const byCursor: number[] = [];
    let since = "1970-01-01T00:00:00Z";
    let cursor: string | undefined;
    async function poll() {
      const one = await hub.as("ann").call("check_replies", { since, limit: 4 });
      bySince.push(...idsOf(one));
      since = one["replies"].at(-1)?.["told_at"] ?? since;
      const other = await hub.as("annbot").call("check_replies", { ...(cursor && { cursor }), limit: 4 });
      byCursor.push(...idsOf(other));
      cursor = other["cursor"];
    }

    let answering = true;
    const answers = Promise.all(Array.from({ length: 18 }, (_, n) => answerAtOnce(hub, n + 1))).finally(() => {
      answering = false;
    });
    while (answering) await poll();
    await answers;
    for (let round = 0; round < 6; round++) await poll();

    const all = Array.from({ length: 18 }, (_, n) => n + 1);
    expect(bySince.toSorted((one, other) => one - other)).toEqual(all);
    expect(byCursor).toEqual(bySince);
    const stamps = await hub.hub.store.read((tx) =>
      tx.all<{ told_at: number }>(sql`
        select q.told_at
        from questions q
        join events e on e.organization = q.organization and e.question = q.number and e.kind = 'question_answered'
        order by e.position`),
    );
    const times = stamps.map((row) => row.told_at);
    expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
  });

  test("stamps answers in their order though the clock stands or goes back", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "asserted");
    await askMany(hub, 3);
    await answerAtOnce(hub, 1);
    hub.later({ minutes: -10 });

    await answerAtOnce(hub, 2);
    await answerAtOnce(hub, 3);

    const [first, second, third] = (await repliesOf(hub, "ann")).map((reply) => Date.parse(reply["answered_at"]));
    expect([second! - first!, third! - second!]).toEqual([1, 1]);
  });

  test("tells of what was declined, handed on and expired as well, and never of a draft", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askMany(hub, 4);
    const [benbot, ben] = [hub.as("benbot"), await hub.browser("ben")];
    for (const message_id of [1, 2, 3, 4]) {
      await benbot.call("propose_response", { message_id, draft_text: "SECRET draft" });
      await benbot.call("send_response", { message_id });
    }

    await ben.call("decline_question", { message_id: 1, reason: "Ask legal." });
    await benbot.call("redirect_question", { message_id: 2, to_user_id: "cleo" });
    await hub.as("annbot").call("withdraw_question", { message_id: 3 });
    const before = await hub.as("ann").call("check_replies");
    hub.later({ days: 8 });
    await sweepQuestions(hub.hub.core);
    const later = await hub.as("ann").call("check_replies", { cursor: before["cursor"] });

    expect(before["replies"]).toMatchObject([
      { id: 1, status: "declined", closed_by: "ben", reason: "Ask legal.", final_response: null },
      { id: 2, status: "pending", to_user_id: "cleo", final_response: null },
    ]);
    expect(later["replies"]).toMatchObject([
      { status: "expired", final_response: null },
      { status: "expired", final_response: null },
    ]);
    expect(idsOf(later).toSorted((one, other) => one - other)).toEqual([2, 4]);
    expect(JSON.stringify([before, later])).not.toMatch(/SECRET|draft/);
  });

  test("gives nobody else's replies, in the organization or outside", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    await press(await hub.browser("ben"), approval_id);

    for (const handle of ["ben", "benbot", "cleo", "dora", "zoe", "zoebot"])
      expect(await repliesOf(hub, handle), handle).toEqual([]);
    expect((await repliesOf(hub, "annreader")).length).toBe(1);
    for (const handle of ["box1", "boss", "ruler"])
      expect(await hub.as(handle).try("check_replies"), handle).toMatchObject({ status: 403, code: "not_allowed" });
  });

  test("gives pages of a bounded size, with the longest answers whole", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "asserted");
    const long = "€".repeat(16_384);
    for (let n = 1; n <= 3; n++) {
      await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Well?" });
      await hub.as("benbot").call("propose_response", { message_id: n, draft_text: long });
      await hub.as("benbot").call("send_response", { message_id: n });
    }
    await using mcp = await connect(hub, "annbot");

    const pages: Value[] = [];
    for (let next: Value | null = {}; next !== null; next = pages.at(-1)?.["next"])
      pages.push(await mcp.call("check_replies", next));

    expect(pages.map((page) => page["replies"].map((reply: Value) => reply["final_response"] === long))).toEqual([
      [true],
      [true],
      [true],
    ]);
    expect(pages[0]?.["_note"]).toContain("replies[].final_response");
  });
});
