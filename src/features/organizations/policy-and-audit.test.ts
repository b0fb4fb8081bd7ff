import { expect, test } from "vitest";
import { AUDITED } from "../../core/events.ts";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("set_policy", (start) => {
  test("sets what is given, gives the rules as they are, and says in the log what changed", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const dora = await hub.browser("dora");

    const first = await dora.call("set_policy", { minimum_assurance: "asserted" });
    const second = await dora.call("set_policy", { invitations_by: "members", minimum_assurance: "asserted" });

    expect(first).toEqual({ ok: true, policy: { minimum_assurance: "asserted", invitations_by: "admins" } });
    expect(second["policy"]).toEqual({ minimum_assurance: "asserted", invitations_by: "members" });
    expect((await hub.eventsOf(null)).slice(-2)).toEqual([
      { kind: "policy_changed", actor: "dora", detail: "minimum_assurance: confirmed to asserted", concerns: [] },
      { kind: "policy_changed", actor: "dora", detail: "invitations_by: admins to members", concerns: [] },
    ]);
  });

  test("asks for less only when an administrator says so in person: no token can, an agent may hold it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const before = await hub.state();

    for (const handle of ["boss", "dora"])
      for (const minimum_assurance of ["asserted", "prompted"])
        expect(await hub.as(handle).try("set_policy", { minimum_assurance }), handle).toMatchObject({
          status: 403,
          code: "not_allowed",
        });
    expect(await hub.state()).toBe(before);

    await hub.as("boss").call("set_policy", { minimum_assurance: "signed" });
    expect(await hub.as("boss").try("set_policy", { minimum_assurance: "confirmed" })).toMatchObject({ status: 403 });
  });

  test("refuses nothing, unknown rules and unknown values, and leaves other organizations alone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const before = await hub.state();

    for (const input of [{}, { minimum_assurance: "none" }, { invitations_by: "anyone" }, { org_id: "other" }])
      expect(await hub.as("boss").try("set_policy", input), JSON.stringify(input)).toMatchObject({ status: 400 });
    const untouched = await hub.state();
    await hub.as("boss").call("set_policy", { invitations_by: "members" });
    const theirs = await hub.as("yuri").call("set_policy", { minimum_assurance: "signed" });

    expect(untouched).toBe(before);
    expect(theirs["policy"]).toEqual({ minimum_assurance: "signed", invitations_by: "admins" });
  });
});

onEachStore("get_audit_log", (start) => {
  test("says who did what, with which credential and from where, newest first (B10.24)", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const made = await hub.as("dora").call("create_token", { agent: "box9", room: "lobby" });
    await hub.as("ann").call("create_token", { agent: "anns-box", room: "lobby" });
    await hub.as("dora").call("grant_room", { user_id: "ann", room: "ops" });
    await hub.as("box1").call("post_message", { body: "no administration" });

    const log = await hub.as("dora").call("get_audit_log");
    const [newest] = log["events"];

    expect(log["events"].slice(0, 5).map(({ kind, actor }: Value) => `${actor} ${kind}`)).toEqual([
      "dora member_changed",
      "ann token_created",
      "ann member_added",
      "dora token_created",
      "dora member_added",
    ]);
    expect(newest).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      kind: "member_changed",
      actor: "dora",
      credential: expect.stringMatching(/^usr_dora_/),
      address: "127.0.0.1",
      detail: "ann may enter ops",
      concerns: ["ann"],
    });
    expect(JSON.stringify(log)).not.toContain(made["token"]);
    expect(new Set(log["events"].map(({ kind }: Value) => kind)).difference(AUDITED)).toEqual(new Set());
  });

  test("pages without gap or repeat, and can be asked for one actor or one kind", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let made = 0; made < 3; made += 1)
      await hub.as("dora").call("create_token", { agent: `box9${made}`, room: "lobby" });
    await hub.as("boss").call("revoke_token", { agent: "box90" });
    const all = (await hub.as("dora").call("get_audit_log"))["events"] as Value[];

    const seen: Value[] = [];
    for (let before_id: number | undefined; ;) {
      const page = await hub.as("dora").call("get_audit_log", { limit: 2, before_id });
      seen.push(...page["events"]);
      if (page["next"] === null) break;
      before_id = page["next"];
    }
    const bosses = await hub.as("dora").call("get_audit_log", { actor: "boss" });
    const added = await hub.as("dora").call("get_audit_log", { kind: "member_added", actor: "dora" });

    expect(seen).toEqual(all);
    expect(bosses["events"]).toMatchObject([{ kind: "token_revoked", actor: "boss" }]);
    expect(added["events"].map(({ detail }: Value) => detail)).toEqual(["box92", "box91", "box90"]);
  });

  test("is for administrators, shows nothing of other organizations, and knows the kinds it has", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("boss").call("create_token", { agent: "canary-agent", room: "lobby" });

    const replies = await Promise.all(
      ["ann", "annbot", "chief", "roamer"].map((handle) => hub.as(handle).try("get_audit_log")),
    );
    const theirs = await hub.as("yuri").call("get_audit_log");
    const unknown = await hub.as("dora").try("get_audit_log", { kind: "message" });

    expect(replies).toMatchObject(replies.map(() => ({ status: 403, code: "not_allowed" })));
    expect(JSON.stringify(theirs)).not.toContain("canary");
    expect(unknown).toMatchObject({ status: 400, code: "bad_input" });
  });
});
