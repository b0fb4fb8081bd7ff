import { expect, test } from "vitest";
import { makeToken } from "../../access/tokens.ts";
import { sql } from "../../store/sql.ts";
import { makeBrowser, type Value } from "../../testkit/actor.ts";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { accept, makeLink, NEW_PASSWORD, onPage, secretOf, tryOnPage } from "../../testkit/invitations.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { showInvitation } from "./show-invitation.ts";

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
      "409 handle_taken",
      "409 handle_taken",
      "400 bad_input",
      "400 bad_input",
      "400 bad_input",
      "400 bad_input",
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
    const token = secretOf(
      await (await hub.browser("ann")).call("invite_person", { question: "Where are the invoices?" }),
    );

    const joined = await accept(hub, token, { handle: "eve" });
    const inbox = await makeBrowser(hub.url, "eve", joined["session"]).call("check_inbox");

    expect(inbox["pending"]).toMatchObject([{ from_user_id: "ann", query_text: "Where are the invoices?" }]);
  });

  test("sets the password of the person it names, whose other sessions end and whose password no tool has seen", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.hub.store.write("main", (tx) => tx.run(sql`update persons set exposed_at = 1 where handle = 'ben'`));
    const before = await hub.browser("ben");
    const token = await makeLink(hub, "ben");

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
    const mallorys = secretOf(await (await hub.browser("ann")).call("invite_person", { user_id: "eve" }));
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
    const token = await makeLink(hub, "ben");
    const foreign = await makeLink(hub, "zoe");
    await hub.as("dora").call("deactivate_member", { user_id: "ben" });
    const before = await hub.state();

    const outcomes = [];
    for (const link of [token, foreign])
      outcomes.push(await tryOnPage(hub, acceptInvitation, { org_id: "main", token: link, password: NEW_PASSWORD }));

    expect(outcomes).toEqual(["410 invitation_ended", "410 invitation_ended"]);
    expect(await hub.state()).toBe(before);
  });
});
