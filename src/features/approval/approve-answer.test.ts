import { expect, test } from "vitest";
import { execute } from "../../core/execute.ts";
import { sql } from "../../store/sql.ts";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { askAndSend, askForLevel, kindsOf, outcomeOf, press, repliesOf } from "../../testkit/questions.ts";
import { approveAnswer } from "./approve-answer.ts";
import { deliver } from "./deliver.ts";
import { findApproval } from "./queries.ts";

onEachStore("approve_answer", (start) => {
  test("is used once: of many presses at once, and later ones, all are told the same and one sends", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const [page, other] = [await hub.browser("ben"), await hub.browser("ben")];
    const { hash } = await page.call("show_approval", { approval_id });
    await other.call("show_approval", { approval_id });

    const presses = await Promise.all(
      Array.from({ length: 16 }, (_, n) => (n % 2 ? page : other).call("approve_answer", { approval_id, hash })),
    );
    hub.later({ hours: 1 });
    const late = await page.call("approve_answer", { approval_id, hash });
    const lateRejection = await page.try("reject_draft", { approval_id });

    expect(new Set([...presses, late].map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(lateRejection).toMatchObject({
      status: 409,
      code: "approval_closed",
      error: { data: { state: "approved" } },
    });
    expect((await kindsOf(hub)).filter((kind) => kind === "question_answered").length).toBe(1);
    expect((await repliesOf(hub)).length).toBe(1);
  });

  test("or rejected: of the two at once, one is so", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    for (let round = 1; round <= 6; round++) {
      const { message_id, approval_id } = await askAndSend(hub);
      const { hash } = await page.call("show_approval", { approval_id });

      const [approved, rejected] = await Promise.all([
        page.try("approve_answer", { approval_id, hash }),
        page.try("reject_draft", { approval_id }),
      ]);

      expect([approved.ok, rejected.ok].filter(Boolean).length).toBe(1);
      expect((await repliesOf(hub)).some((reply) => reply["id"] === message_id)).toBe(approved.ok);
    }
  });

  test("is for who was asked: to everybody else, administrators too, the request is not there", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const { hash } = await (await hub.browser("ben")).call("show_approval", { approval_id });

    for (const handle of ["ann", "cleo", "dora", "zoe", "yuri"]) {
      const page = await hub.browser(handle);
      for (const id of [approval_id, "apr_0123456789abcdefghijkl", ""]) {
        const replies = [
          await page.try("show_approval", { approval_id: id }),
          await page.try("approve_answer", { approval_id: id, hash }),
          await page.try("reject_draft", { approval_id: id }),
        ];
        expect(replies.map(outcomeOf), handle).toEqual(replies.map(() => "404 approval_not_found"));
      }
      expect(await page.call("list_approvals", { approval_id }), handle).toMatchObject({ count: 0 });
    }
    expect(await repliesOf(hub)).toEqual([]);
  });

  test("counts a password at a terminal as prompted, where that is enough, for a text that a prompt can show", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = hub.as("ben");
    const { approval_id } = await askAndSend(hub, "Three.");
    const tooLow = await press(ben, approval_id, { password: PASSWORD });
    await askForLevel(hub, "prompted");
    const wrong = await press(ben, approval_id, { password: "a guess of nobody" });
    const { approval_id: odd } = await askAndSend(hub, "Th\u202eree.");
    const { approval_id: long } = await askAndSend(hub, "x".repeat(2_001));
    const unseen = [await press(ben, odd, { password: PASSWORD }), await press(ben, long, { password: PASSWORD })];

    const right = await press(ben, approval_id, { password: PASSWORD });

    expect([tooLow, wrong, ...unseen, right].map(outcomeOf)).toEqual([
      "403 level_too_low",
      "401 wrong_sign_in",
      "403 page_only",
      "403 page_only",
      "prompted",
    ]);
    expect(tooLow).toMatchObject({
      error: { data: { level: "prompted", minimum: "confirmed", url: `${hub.url}/approve/${approval_id}` } },
    });
    expect((await repliesOf(hub)).map((reply) => [reply["final_response"], reply["assurance"]])).toEqual([
      ["Three.", "prompted"],
    ]);
  });

  test("slows guessing at the password down, and still lets the page approve", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "5" });
    await hub.seatPeople();
    await askForLevel(hub, "prompted");
    const { approval_id } = await askAndSend(hub);
    const { hash } = await hub.as("ben").call("show_approval", { approval_id });

    const guesses = [];
    for (let n = 0; n < 8; n++)
      guesses.push(await hub.as("ben").try("approve_answer", { approval_id, hash, password: `guess ${n}` }));

    expect(guesses.map(outcomeOf).slice(5)).toEqual(guesses.slice(5).map(() => "429 too_many_attempts"));
    expect(outcomeOf(await press(await hub.browser("ben"), approval_id))).toBe("confirmed");
  });

  test("counts for no more than prompted while the password is known to have passed through a tool", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update persons set exposed_at = ${tx.now} where organization = 'main' and handle = 'ben'`),
    );
    const page = await hub.browser("ben");

    const refused = await press(page, approval_id);
    expect(await page.call("show_approval", { approval_id })).toMatchObject({
      counts_as: "prompted",
      password_exposed: true,
    });
    await askForLevel(hub, "prompted");

    expect(refused).toMatchObject({
      status: 403,
      code: "password_exposed",
      error: { data: { minimum: "confirmed", url: `${hub.url}/password` } },
    });
    expect(outcomeOf(await press(page, approval_id))).toBe("prompted");
  });

  test("asks for a passkey where the organization asks for signed", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    await askForLevel(hub, "signed");

    expect(outcomeOf(await press(await hub.browser("ben"), approval_id))).toBe("403 level_too_low");
    expect(await repliesOf(hub)).toEqual([]);
  });

  test("is good for 15 minutes from when the text was shown, and again when it is shown again", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const page = await hub.browser("ben");
    const [waiting] = (await page.call("list_approvals"))["approvals"];
    const { hash } = waiting;

    const unseen = await page.try("approve_answer", { approval_id, hash });
    const shown = await page.call("show_approval", { approval_id });
    hub.later({ minutes: 15 });
    const late = await page.try("approve_answer", { approval_id, hash });
    hub.later({ days: 3 });
    await page.call("show_approval", { approval_id });
    hub.later({ minutes: 14, seconds: 50 });
    const again = await page.try("approve_answer", { approval_id, hash });

    expect([unseen, late, again].map(outcomeOf)).toEqual(["410 approval_stale", "410 approval_stale", "confirmed"]);
    expect(shown["hash"]).toBe(hash);
  });

  test("is not for somebody who was deactivated, or whose session ended, a moment ago", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    const { approval_id } = await askAndSend(hub);
    const { hash } = await page.call("show_approval", { approval_id });
    const caller = await hub.hub.callers.bySession(page.token, { address: "127.0.0.1", session: "-" });
    const pressAsBelieved = () => execute(hub.hub.core, approveAnswer, { caller, input: { approval_id, hash } });
    const write = (what: ReturnType<typeof sql>) => hub.hub.store.write("main", (tx) => tx.run(what));

    await write(sql`update tokens set revoked_at = 1 where organization = 'main' and id = ${caller.credential}`);
    await expect(pressAsBelieved()).rejects.toMatchObject({ code: "not_signed_in" });
    await write(sql`update tokens set revoked_at = null where organization = 'main' and id = ${caller.credential}`);
    await write(sql`update members set deactivated_at = 1 where organization = 'main' and handle = 'ben'`);
    await expect(pressAsBelieved()).rejects.toMatchObject({ code: "not_signed_in" });

    expect(await repliesOf(hub)).toEqual([]);
    await write(sql`update members set deactivated_at = null where organization = 'main' and handle = 'ben'`);
    expect((await pressAsBelieved()).value).toMatchObject({ sent: true });
  });

  test("and its delivery are one: what fails between them leaves neither", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id } = await askAndSend(hub);
    const page = await hub.browser("ben");
    await page.call("show_approval", { approval_id });
    const caller = await hub.hub.callers.bySession(page.token, { address: "127.0.0.1", session: "-" });
    const before = await hub.state();

    const crashed = hub.hub.store.write("main", async (tx) => {
      const request = await findApproval(tx, "main", "ben", approval_id);
      if (!request) throw new Error("There is none.");
      await deliver({ tx, caller, emit: () => undefined }, request, { level: "confirmed", by: "ben", sharing: "no" });
      expect(await findApproval(tx, "main", "ben", approval_id)).toMatchObject({ state: "approved" });
      throw new Error("killed");
    });

    await expect(crashed).rejects.toThrow("killed");
    expect(await hub.state()).toBe(before);
    expect(outcomeOf(await press(page, approval_id))).toBe("confirmed");
    expect((await repliesOf(hub)).length).toBe(1);
  });
});
