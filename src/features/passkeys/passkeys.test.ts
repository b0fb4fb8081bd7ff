import { expect, it } from "vitest";
import { challengeOf } from "../../access/passkeys.ts";
import type { Actor, Value } from "../../testkit/actor.ts";
import { makeAuthenticator, withPasskey } from "../../testkit/authenticator.ts";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { askAndSend, askForLevel, outcomeOf, repliesOf } from "../../testkit/questions.ts";
import { sql } from "../../store/sql.ts";

const siteAt = ({ url }: TestHub) => ({ origin: url.replace("127.0.0.1", "localhost") });

onEachStore("a passkey", (start) => {
  it("signs an answer, which then counts as signed", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await askForLevel(hub, "signed");
    const { page, sign } = await withPasskey(hub, "ben");
    const { approval_id } = await askAndSend(hub);

    const without = await page.try("approve_answer", {
      approval_id,
      hash: (await page.call("show_approval", { approval_id }))["hash"],
    });
    const signed = await page.try("approve_answer", await sign(approval_id));

    expect([outcomeOf(without), outcomeOf(signed)]).toEqual(["403 level_too_low", "signed"]);
    expect(await repliesOf(hub)).toMatchObject([{ assurance: "signed", approved_by: "ben" }]);
    expect((await page.call("list_passkeys"))["passkeys"]).toMatchObject([
      { label: "laptop", last_used_at: expect.stringMatching(/Z$/) },
    ]);
  });

  it("signs with whom an answer is shared, too", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { page, key } = await withPasskey(hub, "ben");
    const { approval_id } = await askAndSend(hub);
    const shown = await page.call("show_approval", { approval_id });
    const shares = new Map(
      (shown["shares"] as { share: string; hash: string }[]).map(({ share, hash }) => [share, hash]),
    );
    const hash = shares.get("organization") ?? "";
    const approve = (challenge: string) =>
      page.try("approve_answer", {
        approval_id,
        share: "organization",
        hash,
        assertion: key.sign({ challenge: challengeOf(challenge), ...siteAt(hub) }),
      });

    const other = await approve(shares.get("no") ?? "");
    const same = await approve(hash);

    expect([outcomeOf(other), outcomeOf(same)]).toEqual(["400 passkey_not_fit", "signed"]);
  });

  it.each<[string, (asked: { challenge: string; origin: string }) => Value]>([
    ["for another text", () => ({ challenge: challengeOf("0".repeat(64)) })],
    ["on another site", () => ({ site: "evil.example" })],
    ["from another origin", () => ({ origin: "https://evil.example" })],
    ["without verifying its person", () => ({ verified: false })],
  ])("does not count when it signed %s", async (_, spoil) => {
    await using hub = await start();
    await hub.seatPeople();
    const { page, key } = await withPasskey(hub, "ben");
    const { approval_id } = await askAndSend(hub);
    const { hash } = await page.call("show_approval", { approval_id });
    const asked = { challenge: challengeOf(hash), ...siteAt(hub) };

    const spoiled = await page.try("approve_answer", {
      approval_id,
      hash,
      assertion: key.sign({ ...asked, ...spoil(asked) }),
    });

    expect(outcomeOf(spoiled)).toBe("400 passkey_not_fit");
    expect(await repliesOf(hub)).toEqual([]);
  });

  it("counts for its own person alone, and no longer once it was removed", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { page, key, sign } = await withPasskey(hub, "ben");
    const ann = await withPasskey(hub, "ann");
    const { approval_id } = await askAndSend(hub);
    const foreign = await page.try("approve_answer", await sign(approval_id, ann.key));
    const unknown = await page.try("approve_answer", await sign(approval_id, makeAuthenticator()));

    const theirs = await ann.page.try("remove_passkey", { passkey_id: key.id });
    await page.call("remove_passkey", { passkey_id: key.id });
    const removed = await page.try("approve_answer", await sign(approval_id));

    expect([foreign, unknown, removed].map(outcomeOf)).toEqual(Array(3).fill("400 passkey_not_fit"));
    expect(theirs).toMatchObject({ status: 404 });
  });

  it("is registered once, by its person before a page of the hub, with its password", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ben");
    const { challenge } = await page.call("list_passkeys");
    const other = await hub.browser("ben").then((same) => same.call("list_passkeys"));
    const key = makeAuthenticator();
    const register = (by: Actor, asked: Value = {}, input: Value = {}) =>
      by.try("register_passkey", {
        label: "laptop",
        password: PASSWORD,
        attestation: key.register({ challenge, ...siteAt(hub), ...asked }),
        ...input,
      });
    const codeOf = (reply: Awaited<ReturnType<typeof register>>) => (reply.ok ? "registered" : reply.code);

    expect(codeOf(await register(page, {}, { password: "not it" }))).toBe("wrong_sign_in");
    expect(codeOf(await register(hub.as("ben")))).toBe("not_allowed");
    expect(codeOf(await register(page, { challenge: other["challenge"] }))).toBe("passkey_not_fit");
    expect(codeOf(await register(page, { verified: false }))).toBe("passkey_not_fit");
    expect(codeOf(await register(page, { origin: "https://evil.example" }))).toBe("passkey_not_fit");
    expect(codeOf(await register(page, {}, { attestation: "{}" }))).toBe("passkey_not_fit");
    expect(codeOf(await register(page, {}, { attestation: "not json" }))).toBe("passkey_not_fit");
    expect(codeOf(await register(page))).toBe("registered");
    expect(codeOf(await register(page))).toBe("too_many");
    expect((await page.call("list_passkeys"))["count"]).toBe(1);
  });

  it("is not registered, and does not count as signed, while the password is known to a tool", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { page, sign } = await withPasskey(hub, "ben");
    await askForLevel(hub, "prompted");
    const { approval_id } = await askAndSend(hub);
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update persons set exposed_at = ${tx.now} where handle = 'ben'`),
    );

    const fresh = makeAuthenticator();
    const { challenge } = await page.call("list_passkeys");
    const registered = await page.try("register_passkey", {
      label: "another",
      password: PASSWORD,
      attestation: fresh.register({ challenge, ...siteAt(hub) }),
    });
    const pressed = await page.try("approve_answer", await sign(approval_id));

    expect([outcomeOf(registered), outcomeOf(pressed)]).toEqual(["403 password_exposed", "prompted"]);
  });

  it("approves once when it is used twice at a time", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { page, sign } = await withPasskey(hub, "ben");
    const { approval_id } = await askAndSend(hub);
    const signed = await sign(approval_id);

    const pressed = await Promise.all([1, 2, 3].map(() => page.try("approve_answer", signed)));

    expect(pressed.map(outcomeOf)).toEqual(["signed", "signed", "signed"]);
    expect(await repliesOf(hub)).toHaveLength(1);
  });

  it("is not there where browsers allow none", async () => {
    await using hub = await start({ CREWROOM_PUBLIC_URL: "http://hub.example" });
    await hub.seatPeople();

    expect(await (await hub.browser("ben")).call("list_passkeys")).toMatchObject({ site: null });
  });
});
