import { expect, test } from "vitest";
import { makeToken } from "../../access/tokens.ts";
import { HubError } from "../../core/errors.ts";
import { execute } from "../../core/execute.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Operation } from "../../core/operation.ts";
import { nobody } from "../../core/roles.ts";
import { sql } from "../../store/sql.ts";
import { makeBrowser, type Value } from "../../testkit/actor.ts";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { insertInvitation, type NewInvitation } from "./invitation-queries.ts";
import { showInvitation } from "./show-invitation.ts";

const NEW_PASSWORD = "a password that Eve chose";

const secretOf = (invited: Value) => String(invited["link"]).split("/join/")[1] ?? "";

/** What a page does: it runs an operation that has no address, for whoever came. */
async function onPage({ hub }: TestHub, operation: Operation, input: Value): Promise<Value> {
  const caller = nobody("203.0.113.9");
  return (await execute(hub.core, operation, { caller, input })).value;
}

async function tryOnPage(hub: TestHub, operation: Operation, input: Value): Promise<string> {
  try {
    await onPage(hub, operation, input);
    return "ok";
  } catch (error) {
    if (error instanceof HubError) return `${error.status} ${error.code}`;
    throw error;
  }
}

const accept = (hub: TestHub, token: string, more: Value = {}) =>
  onPage(hub, acceptInvitation, { org_id: "main", token, password: NEW_PASSWORD, ...more });

/** A link to choose a new password, as an administrator's reset makes it. */
async function resetLink({ hub }: TestHub, handle: string, more: Partial<NewInvitation> = {}): Promise<string> {
  const secret = makeToken("inv");
  const expiresAt = Date.now() + 3_600_000;
  const invitation = { organization: "main", id: `reset-${handle}`, secret, purpose: "password", handle } as const;
  const rest = { name: "", role: "member", question: null, createdBy: "dora", expiresAt } as const;
  await hub.store.write("main", (tx) => insertInvitation(tx, { ...invitation, ...rest, ...more }));
  return secret;
}

onEachStore("invite_person", (start) => {
  test("gives a link once, keeps its hash alone, and says in the log who asked whom in", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const input = { user_id: "eve", name: "Eve Ely", idempotency_key: "eve" };

    const invited = await hub.as("dora").call("invite_person", input);
    const again = await hub.as("dora").call("invite_person", input);
    const stored = JSON.stringify(await hub.hub.store.read((tx) => tx.all(sql`select * from invitations`)));

    expect(invited).toEqual({
      invited: true,
      invitation_id: expect.stringMatching(/^[0-9a-z]{26}$/),
      link: expect.stringMatching(new RegExp(`^${hub.url}/join/crw_inv_\\w{36}$`)),
      user_id: "eve",
      role: "member",
      expires_at: expect.stringMatching(/Z$/),
    });
    expect(Date.parse(invited["expires_at"]) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(again).toEqual({ ...invited, link: null, note: expect.stringContaining("came once") });
    expect(stored).not.toContain(secretOf(invited));
    expect((await hub.eventsOf(null)).at(-1)).toEqual({
      kind: "person_invited",
      actor: "dora",
      detail: `${invited["invitation_id"]} for eve as member`,
      concerns: [],
    });
  });

  test("is for administrators, and for people where the organization lets its members; no agent of theirs invites", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ask = async (handle: string, input: Value = {}) => {
      const reply = await hub.as(handle).try("invite_person", input);
      return reply.ok ? "ok" : reply.code;
    };

    const byAdmins = [await ask("dora"), await ask("boss"), await ask("ann"), await ask("annbot"), await ask("chief")];
    await hub.as("dora").call("set_policy", { invitations_by: "members" });
    const byMembers = [await ask("ann"), await ask("annbot"), await ask("annreader"), await ask("chief")];

    expect(byAdmins).toEqual(["ok", "ok", "not_allowed", "not_allowed", "not_allowed"]);
    expect(byMembers).toEqual(["ok", "not_allowed", "not_allowed", "not_allowed"]);
  });

  test("makes an administrator only where a person sits: no token does, or its holder could set others' passwords", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("set_policy", { invitations_by: "members" });
    const input = { role: "admin" };

    const byToken = await Promise.all(
      ["boss", "dora", "ann"].map((handle) => hub.as(handle).try("invite_person", input)),
    );
    const inBrowser = [
      await (await hub.browser("ann")).try("invite_person", input),
      await (await hub.browser("dora")).try("invite_person", input),
    ];

    expect([...byToken, ...inBrowser].map((reply) => reply.ok || reply.code)).toEqual([
      ...["not_allowed", "not_allowed", "not_allowed"],
      ...["not_allowed", true],
    ]);
  });

  test("refuses handles that are taken, were taken or are nobody's to take, ends that are none, and what shows nothing", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });
    const before = await hub.state();

    const taken = [];
    for (const user_id of ["ann", "box1", "annbot", "cleo"])
      taken.push(await hub.as("dora").try("invite_person", { user_id }));
    const bad = [];
    for (const input of [
      { user_id: "admin" },
      { user_id: "Eve" },
      { user_id: "" },
      { name: " " },
      { role: "owner" },
      { question: "\u200b" },
      { expires: "0d" },
      { expires: "2020-01-01T00:00:00Z" },
      { org_id: "other" },
    ])
      bad.push(await hub.as("dora").try("invite_person", input));
    const nobodys = await hub.as("boss").try("invite_person", { question: "Who answers me?" });

    expect(taken).toMatchObject(taken.map(() => ({ status: 409, code: "handle_taken" })));
    expect([...bad, nobodys]).toMatchObject([...bad, nobodys].map(() => ({ status: 400, code: "bad_input" })));
    expect(await hub.state()).toBe(before);
  });

  test("is bounded in what one member may have open; what was used or has run out counts no more", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let made = 0; made < LIMITS.openInvitations; made += 1)
      await resetLink(hub, "eve", { id: `link-${made}`, purpose: "join", handle: null });

    const refused = await hub.as("dora").try("invite_person");
    const other = await hub.as("boss").try("invite_person");
    hub.later({ hours: 2 });
    const later = await hub.as("dora").try("invite_person");

    expect(refused).toMatchObject({ status: 409, code: "too_many" });
    expect([other.ok, later.ok]).toEqual([true, true]);
  });

  test("cuts an end beyond 30 days down to them", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const invited = await hub.as("dora").call("invite_person", { expires: "900d" });

    expect((Date.parse(invited["expires_at"]) - Date.now()) / 86_400_000).toBeCloseTo(30, 1);
  });
});

onEachStore("accept_invitation", (start) => {
  test("makes the person, lets it into the lobby, signs it in before the page, and tells who it was", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const token = secretOf(await hub.as("dora").call("invite_person", { user_id: "eve", name: "Eve Ely" }));

    const shown = await onPage(hub, showInvitation, { token });
    const joined = await accept(hub, token);
    const eve = makeBrowser(hub.url, "eve", joined["session"]);
    const rooms = await eve.call("list_rooms");
    const seen = await hub.as("ann").call("get_user_profile", { user_id: "eve" });
    const exposed = await hub.hub.store.read((tx) => tx.all(sql`select exposed_at from persons where handle = 'eve'`));

    expect(shown).toMatchObject({
      org_id: "main",
      purpose: "join",
      user_id: "eve",
      name: "Eve Ely",
      invited_by: "dora",
    });
    expect(joined).toMatchObject({ organization: "main", handle: "eve", joined: true });
    expect(rooms).toMatchObject({ you_are: "eve", default_room: "lobby", count: 1 });
    expect(seen["profile"]).toMatchObject({ user_id: "eve", name: "Eve Ely", role: "member" });
    expect(exposed).toEqual([{ exposed_at: null }]);
    expect((await hub.eventsOf(null)).slice(-3)).toMatchObject([
      { kind: "member_added", actor: "eve", detail: "eve as member" },
      { kind: "person_invited", actor: "eve", detail: expect.stringMatching(/used by eve$/) },
      { kind: "signed_in", actor: "eve" },
    ]);
  });

  test("works once: of several at once one becomes the person", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const token = secretOf(await hub.as("dora").call("invite_person"));
    const tries = ["eve", "mallory", "trent"].map((handle) =>
      tryOnPage(hub, acceptInvitation, { org_id: "main", token, handle, password: NEW_PASSWORD }),
    );

    const outcomes = await Promise.all(tries);
    const late = await tryOnPage(hub, acceptInvitation, {
      org_id: "main",
      token,
      handle: "zed",
      password: NEW_PASSWORD,
    });
    const people = await hub.as("ann").call("list_users");

    expect([...outcomes, late].toSorted()).toEqual([
      "410 invitation_ended",
      "410 invitation_ended",
      "410 invitation_ended",
      "ok",
    ]);
    expect(people["count"]).toBe(5);
  });

  test("answers alike whatever is wrong with the link, and changes nothing", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const link = async (input: Value = {}) => secretOf(await hub.as("dora").call("invite_person", input));
    const [used, expired, another] = [await link({ user_id: "eve" }), await link({ expires: "1h" }), await link()];
    await accept(hub, used);
    const mine = secretOf(await hub.as("yuri").call("invite_person"));
    const ofInviter = await hub.as("boss").call("invite_person");
    await hub.as("dora").call("deactivate_member", { user_id: "boss" });
    hub.later({ hours: 2 });
    const before = await hub.state();

    const tokens = [
      used,
      expired,
      mine,
      secretOf(ofInviter),
      makeToken("inv"),
      `${another.slice(0, -1)}!`,
      "",
      makeToken("agt"),
    ];
    const accepted = [];
    for (const token of tokens)
      accepted.push(
        await tryOnPage(hub, acceptInvitation, { org_id: "main", token, handle: "zed", password: NEW_PASSWORD }),
      );
    const elsewhere = await tryOnPage(hub, acceptInvitation, {
      org_id: "other",
      token: another,
      handle: "zed",
      password: NEW_PASSWORD,
    });
    const nowhere = await tryOnPage(hub, acceptInvitation, {
      org_id: "no-such",
      token: another,
      handle: "zed",
      password: NEW_PASSWORD,
    });
    const shown = [];
    for (const token of tokens.filter((token) => token !== mine))
      shown.push(await tryOnPage(hub, showInvitation, { token }));

    expect([...accepted, elsewhere, nowhere, ...shown]).toEqual(
      [...accepted, elsewhere, nowhere, ...shown].map(() => "410 invitation_ended"),
    );
    expect(await hub.state()).toBe(before);
  });

  test("leaves the link good when the handle is taken meanwhile or the password is none; another handle then does", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const browser = await hub.browser("dora");
    const token = secretOf(await browser.call("invite_person", { user_id: "eve", role: "admin" }));
    await hub.as("boss").call("create_token", { agent: "eve", room: "lobby" });
    const before = await hub.state();

    const refused = [];
    for (const input of [
      {},
      { handle: "ann" },
      { handle: "admin" },
      { handle: "eva", password: "eleven char" },
      { handle: "eva", password: "x".repeat(1_025) },
      { handle: "eva", name: "\u200b" },
    ])
      refused.push(await tryOnPage(hub, acceptInvitation, { org_id: "main", token, password: NEW_PASSWORD, ...input }));
    const unchanged = await hub.state();
    const joined = await accept(hub, token, { handle: "eva", password: " twelve char" });

    expect(refused).toEqual([
      ...["409 handle_taken", "409 handle_taken"],
      ...["400 bad_input", "400 bad_input", "400 bad_input", "400 bad_input"],
    ]);
    expect(unchanged).toBe(before);
    expect(joined).toMatchObject({ handle: "eva", joined: true });
    expect(await makeBrowser(hub.url, "eva", joined["session"]).call("list_members")).toMatchObject({
      has_more: false,
    });
  });

  test("asks the newcomer what the invitation carried, in its inviter's name", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("set_policy", { invitations_by: "members" });
    const token = secretOf(await hub.as("ann").call("invite_person", { question: "Where are the invoices?" }));

    const joined = await accept(hub, token, { handle: "eve" });
    const inbox = await makeBrowser(hub.url, "eve", joined["session"]).call("check_inbox");

    expect(inbox["pending"]).toMatchObject([{ from_user_id: "ann", query_text: "Where are the invoices?" }]);
  });

  test("sets the password of the person it names, whose other sessions end and whose password no tool has seen", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.hub.store.write("main", (tx) => tx.run(sql`update persons set exposed_at = 1 where handle = 'ben'`));
    const before = await hub.browser("ben");
    const token = await resetLink(hub, "ben");

    const shown = await onPage(hub, showInvitation, { token });
    const renewed = await accept(hub, token);
    const row = await hub.hub.store.read((tx) =>
      tx.one<{ password_hash: string; exposed_at: null }>(
        sql`select password_hash, exposed_at from persons where handle = 'ben'`,
      ),
    );
    const check = (password: string) =>
      hub.hub.core.passwords.check(password, row?.password_hash, { account: "main/ben", address: "-", known: "test" });

    expect(shown).toMatchObject({ purpose: "password", user_id: "ben" });
    expect(renewed).toMatchObject({ handle: "ben", joined: false });
    expect([await check(NEW_PASSWORD), await check(PASSWORD), row?.exposed_at]).toEqual([true, false, null]);
    expect([(await before.try("list_rooms")).ok, (await hub.as("ben").try("list_rooms")).ok]).toEqual([false, false]);
    expect(await makeBrowser(hub.url, "ben", renewed["session"]).call("list_rooms")).toMatchObject({ you_are: "ben" });
    expect((await hub.as("benbot").try("list_rooms")).ok).toBe(true);
  });

  test("never sets the password of somebody who took the handle that an invitation kept", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("set_policy", { invitations_by: "members" });
    const mallorys = secretOf(await hub.as("ann").call("invite_person", { user_id: "eve" }));
    await accept(hub, secretOf(await hub.as("dora").call("invite_person")), { handle: "eve" });
    const before = await hub.state();

    const outcome = await tryOnPage(hub, acceptInvitation, {
      org_id: "main",
      token: mallorys,
      password: "mallory's own",
    });

    expect(outcome).toBe("409 handle_taken");
    expect(await hub.state()).toBe(before);
  });

  test("does nothing for one who was deactivated meanwhile", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const token = await resetLink(hub, "ben");
    const foreign = await resetLink(hub, "zoe");
    await hub.as("dora").call("deactivate_member", { user_id: "ben" });
    const before = await hub.state();

    const outcomes = [];
    for (const link of [token, foreign])
      outcomes.push(await tryOnPage(hub, acceptInvitation, { org_id: "main", token: link, password: NEW_PASSWORD }));

    expect(outcomes).toEqual(["410 invitation_ended", "410 invitation_ended"]);
    expect(await hub.state()).toBe(before);
  });
});

onEachStore("list_invitations and revoke_invitation", (start) => {
  test("show what is open, to administrators all, to others their own, and end it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("set_policy", { invitations_by: "members" });
    const anns = await hub.as("ann").call("invite_person", { user_id: "eve" });
    const bens = await hub.as("ben").call("invite_person");
    await hub.as("yuri").call("invite_person");
    await accept(hub, secretOf(await hub.as("dora").call("invite_person")), { handle: "zed" });
    const idsOf = async (handle: string, input: Value = {}) =>
      (await hub.as(handle).call("list_invitations", input))["invitations"].map(
        ({ invitation_id }: Value) => invitation_id as string,
      );

    const [annSees, doraSees] = [await idsOf("ann"), await idsOf("dora")];
    const page = await hub.as("dora").call("list_invitations", { limit: 1 });
    const rest = await idsOf("dora", { before_id: page["next"] });
    const notHers = await hub.as("ann").try("revoke_invitation", { invitation_id: bens["invitation_id"] });
    const unknown = await hub.as("ann").try("revoke_invitation", { invitation_id: "nope" });
    await hub.as("ann").call("revoke_invitation", { invitation_id: anns["invitation_id"] });
    await hub.as("boss").call("revoke_invitation", { invitation_id: bens["invitation_id"] });
    const again = await hub.as("boss").try("revoke_invitation", { invitation_id: bens["invitation_id"] });

    expect(annSees).toEqual([anns["invitation_id"]]);
    expect(doraSees).toEqual([bens["invitation_id"], anns["invitation_id"]]);
    expect([page["invitations"][0].invitation_id, ...rest]).toEqual(doraSees);
    expect([notHers, unknown, again]).toMatchObject(
      [1, 2, 3].map(() => ({ status: 404, code: "invitation_not_found" })),
    );
    for (const invited of [anns, bens])
      expect(await tryOnPage(hub, showInvitation, { token: secretOf(invited) })).toBe("410 invitation_ended");
    expect(await idsOf("dora")).toEqual([]);
  });
});

onEachStore("deactivate_member", (start) => {
  test("withdraws its invitations, and never gives its handle away again", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("set_policy", { invitations_by: "members" });
    await hub.as("cleo").call("invite_person");

    const ended = await hub.as("dora").call("deactivate_member", { user_id: "cleo" });
    const replies = [
      await hub.as("boss").try("create_token", { agent: "cleo", room: "lobby" }),
      await hub.as("dora").try("invite_person", { user_id: "cleo" }),
    ];

    expect(ended).toMatchObject({ invitations: 1 });
    expect(replies).toMatchObject(replies.map(() => ({ status: 409, code: "handle_taken" })));
  });
});
