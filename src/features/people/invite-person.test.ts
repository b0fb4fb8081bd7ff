import { expect, test } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import { sql } from "../../store/sql.ts";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { accept, makeLink, secretOf, tryOnPage } from "../../testkit/invitations.ts";
import { showInvitation } from "./show-invitation.ts";

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

  test("is for administrators, and for people before a page where the organization lets its members; no agent or token of theirs invites", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ask = async (handle: string, input: Value = {}) => {
      const reply = await hub.as(handle).try("invite_person", input);
      return reply.ok ? "ok" : reply.code;
    };

    const byAdmins = [await ask("dora"), await ask("boss"), await ask("ann"), await ask("annbot"), await ask("chief")];
    await hub.as("dora").call("set_policy", { invitations_by: "members" });
    const byMembers = [await ask("ann"), await ask("annbot"), await ask("annreader"), await ask("chief")];
    const before = await (await hub.browser("ann")).try("invite_person");

    expect(byAdmins).toEqual(["ok", "ok", "not_allowed", "not_allowed", "not_allowed"]);
    expect(byMembers).toEqual(["not_allowed", "not_allowed", "not_allowed", "not_allowed"]);
    expect(before.ok).toBe(true);
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
      "not_allowed",
      "not_allowed",
      "not_allowed",
      "not_allowed",
      true,
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
      await makeLink(hub, "eve", { id: `link-${made}`, purpose: "join", handle: null });

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

onEachStore("list_invitations and revoke_invitation", (start) => {
  test("show what is open, to administrators all, to others their own, and end it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("set_policy", { invitations_by: "members" });
    const anns = await (await hub.browser("ann")).call("invite_person", { user_id: "eve" });
    const bens = await (await hub.browser("ben")).call("invite_person");
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
    const foreign = await hub.as("yuri").try("revoke_invitation", { invitation_id: anns["invitation_id"] });
    await hub.as("ann").call("revoke_invitation", { invitation_id: anns["invitation_id"] });
    await hub.as("boss").call("revoke_invitation", { invitation_id: bens["invitation_id"] });
    const again = await hub.as("boss").try("revoke_invitation", { invitation_id: bens["invitation_id"] });

    expect(annSees).toEqual([anns["invitation_id"]]);
    expect(doraSees).toEqual([bens["invitation_id"], anns["invitation_id"]]);
    expect([page["invitations"][0].invitation_id, ...rest]).toEqual(doraSees);
    expect([notHers, unknown, foreign, again]).toMatchObject(
      [1, 2, 3, 4].map(() => ({ status: 404, code: "invitation_not_found" })),
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
    await (await hub.browser("cleo")).call("invite_person");

    const ended = await hub.as("dora").call("deactivate_member", { user_id: "cleo" });
    const replies = [
      await hub.as("boss").try("create_token", { agent: "cleo", room: "lobby" }),
      await hub.as("dora").try("invite_person", { user_id: "cleo" }),
    ];

    expect(ended).toMatchObject({ invitations: 1 });
    expect(replies).toMatchObject(replies.map(() => ({ status: 409, code: "handle_taken" })));
  });
});
