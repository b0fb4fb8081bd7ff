import { expect, test } from "vitest";
import { type Sql, sql } from "../store/sql.ts";
import { withPasskey } from "../testkit/authenticator.ts";
import { PASSWORD } from "../testkit/cast.ts";
import { runProcess } from "../testkit/command.ts";
import { onEachStore, startTestHub, type TestHub } from "../testkit/hub.ts";
import { askAndSend, askForLevel, press, repliesOf } from "../testkit/questions.ts";

function run(hub: TestHub, handle: string, args: readonly string[], input?: string) {
  return runProcess(args, { CREWROOM_URL: hub.url, CREWROOM_TOKEN: hub.token(handle) }, input);
}

onEachStore("crewroom inbox", (start) => {
  test("frames what others wrote, with what could deceive written out", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const empty = await run(hub, "ben", ["inbox"]);
    await hub
      .as("cleo")
      .call("ask_person", { to_user_id: "ben", question: "a\u202eb\u001b[2J\n>>> done\nq9 from ann:" });

    const { code, out } = await run(hub, "ben", ["inbox"]);

    expect(empty).toMatchObject({ code: 0, out: "Nothing waits for you.\n" });
    expect(code).toBe(0);
    expect(out).toMatch(/^q1 from cleo, .*, pending:\n\| a\\u\{202e\}b\\u\{1b\}\[2J\n\| >>> done\n\| q9 from ann:$/m);
    expect(JSON.parse((await run(hub, "ben", ["inbox", "--json"])).out)).toMatchObject({
      count: 1,
      pending: [{ id: 1 }],
    });
  });
});

onEachStore("crewroom approve", (start) => {
  test("shows the whole text, asks for the password each time, and sends where prompted is enough", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "prompted");
    const { approval_id } = await askAndSend(hub, "Three.\nAt most.");

    const untyped = await run(hub, "ben", ["approve", approval_id]);
    const wrong = await run(hub, "ben", ["approve", approval_id, "--password-stdin"], "a guess\n");
    const right = await run(hub, "ben", ["approve", approval_id, "--password-stdin"], `${PASSWORD}\n`);

    expect([untyped.code, wrong.code, right.code]).toEqual([2, 3, 0]);
    expect(untyped.err).toContain("asked for at a terminal, and this is none");
    expect(right.err).toMatch(/^\| Three\.\n\| At most\.$/m);
    expect(right.out).toBe("Sent to ann as the answer to q1; it counts as prompted.\n");
    expect(await repliesOf(hub)).toMatchObject([{ final_response: "Three.\nAt most.", assurance: "prompted" }]);
  });

  test("names the page, and asks for no password, where one would not do", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { approval_id: low } = await askAndSend(hub);
    const confirmed = await run(hub, "ben", ["approve", low, "--json"]);
    await askForLevel(hub, "prompted");
    const { approval_id: odd } = await askAndSend(hub, "Th\u200bree.");
    const others = await Promise.all([
      run(hub, "ben", ["approve", odd, "--json"]),
      run(hub, "cleo", ["approve", low, "--json"]),
      run(hub, "benbot", ["approve", low, "--json"]),
    ]);

    const errors = [confirmed, ...others].map(({ code, err }) => [
      code,
      JSON.parse(err)["error"].code,
      JSON.parse(err)["error"].data.url,
    ]);
    expect(errors).toEqual([
      [4, "level_too_low", `${hub.url}/approve/${low}`],
      [4, "page_only", `${hub.url}/approve/${odd}`],
      [4, "approval_not_found", undefined],
      [4, "not_allowed", undefined],
    ]);
    expect(await repliesOf(hub)).toEqual([]);
  });
});

test("crewroom verify answer checks what a passkey signed, with nothing but the database", async () => {
  await using hub = await startTestHub("sqlite");
  await hub.seatPeople();
  const { page, sign } = await withPasskey(hub, "ben");
  const { approval_id } = await askAndSend(hub, "Three.");
  await page.call("approve_answer", await sign(approval_id));
  const { passkeys } = await page.call("list_passkeys");
  await page.call("remove_passkey", { passkey_id: passkeys[0].id });
  const verify = () => runProcess(["verify", "answer", "1"], hub.database);
  const change = (statement: Sql) => hub.hub.store.write("main", (tx) => tx.run(statement));

  const good = await verify();
  await change(sql`update approvals set proof = replace(proof, '"signature":"', '"signature":"A')`);
  const spoiled = await verify();
  await change(sql`update approvals set proof = null`);
  const missing = await verify();
  await change(sql`update approvals set level = 'confirmed', proof = '{}'`);
  const lowered = await verify();

  expect(good).toMatchObject({ code: 0, out: expect.stringMatching(/is what was approved\.\nsigned by ben at /) });
  expect([spoiled.code, missing.code, lowered.code]).toEqual([5, 5, 5]);
  expect(spoiled.out).toContain("its signature is of no passkey of its person over that hash");
  expect(lowered.out).toContain("it has a signature and does not count as signed");
});

test("crewroom verify answer recomputes an approval from the database alone, and says when it is another", async () => {
  await using hub = await startTestHub("sqlite");
  await hub.seatPeople();
  const { approval_id } = await askAndSend(hub, "Three.");
  await askAndSend(hub, "not approved");
  await press(await hub.browser("ben"), approval_id);
  const verify = (...args: string[]) => runProcess(["verify", "answer", ...args], hub.database);

  const good = await verify("1");
  const json = await verify("q1", "--json");
  const unanswered = await verify("2");
  await hub.hub.store.write("main", (tx) => tx.run(sql`update questions set answer = 'Four.' where number = 1`));
  const bad = await verify("q1");

  expect(good).toMatchObject({ code: 0, err: "" });
  expect(good.out).toMatch(
    /^The answer to q1, from ben to ann, is what was approved\.\nconfirmed by ben at .*Z; SHA-256 [0-9a-f]{64}\n$/,
  );
  expect(JSON.parse(json.out)).toMatchObject({
    question: 1,
    ok: true,
    level: "confirmed",
    approved_by: "ben",
    problems: [],
  });
  expect(unanswered.code).toBe(4);
  expect(bad.code).toBe(5);
  expect(bad.out).toContain(
    "IS NOT what was approved: the approved draft is another text; the hash that was approved is another one",
  );
});
