import { expect, test } from "vitest";
import { sql } from "../../store/sql.ts";
import { makeActor, makeNobody, type Value } from "../../testkit/actor.ts";
import { PASSWORD } from "../../testkit/cast.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { followStream } from "../../testkit/stream.ts";

async function signIn(hub: TestHub, user_id = "ann", org_id = "main") {
  const { auth_token } = await makeNobody(hub.url).call("login", { org_id, user_id, password: PASSWORD });
  const actor = makeActor(hub.url, user_id, auth_token);
  const session = ((await actor.call("list_sessions"))["sessions"] as Value[]).find(({ current }) => current);
  return { actor, id: session?.["session_id"] as string };
}

/** What the sign-in by browser leaves: a grant, and an access token under it. */
async function grantTo(hub: TestHub, handle: string) {
  await hub.hub.store.write("main", async (tx) => {
    await tx.run(sql`
      insert into tokens (organization, id, kind, member, label, hash, created_at, created_by)
      values ('main', ${`oat_${handle}`}, 'oat', ${handle}, 'Claude Code', ${`grant of ${handle}`}, ${tx.now}, ${handle})`);
    await tx.run(sql`
      insert into oauth_records (kind, id, payload, grant_id)
      values ('AccessToken', ${`access of ${handle}`}, '{}', ${`grant of ${handle}`})`);
  });
}
const grantsLeft = ({ hub }: TestHub) => hub.store.read((tx) => tx.all(sql`select id from oauth_records order by id`));

onEachStore("list_sessions", (start) => {
  test("shows a person's own sign-ins of every kind, newest first, which one this is, and no secret", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await grantTo(hub, "ann");
    await grantTo(hub, "ben");
    const browser = await hub.browser("ann");
    const { actor, id } = await signIn(hub);

    const listed = await actor.call("list_sessions");
    const inBrowser = (await browser.call("list_sessions"))["sessions"] as Value[];

    const sessions = listed["sessions"] as Value[];
    expect(listed).toMatchObject({ user_id: "ann", count: 4, has_more: false, next: null });
    expect(sessions.map(({ kind }) => String(kind)).toSorted()).toEqual(["browser", "client", "login", "login"]);
    expect(sessions.filter(({ current }) => current)).toMatchObject([
      { session_id: id, kind: "login", label: "login", last_address: "127.0.0.1" },
    ]);
    expect(inBrowser.filter(({ current }) => current)).toMatchObject([{ kind: "browser" }]);
    expect(JSON.stringify(listed)).not.toContain(actor.token);
    expect(JSON.stringify(listed)).not.toContain("grant of");
  });

  test("pages without gap or repeat, and leaves out what ended", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await signIn(hub)).id);
    await hub.as("ann").call("revoke_session", { session_id: made[2] });

    const seen: string[] = [];
    for (let before_id: string | undefined; ;) {
      const page = await hub.as("ann").call("list_sessions", { limit: 2, before_id });
      seen.push(...(page["sessions"] as Value[]).map((session) => session["session_id"] as string));
      if (page["next"] === null) break;
      before_id = page["next"];
    }

    expect(seen.filter((id) => made.includes(id))).toEqual([made[4], made[3], made[1], made[0]]);
    expect(seen).toHaveLength(5);
  });
});

onEachStore("revoke_session", (start) => {
  test("ends one sign-in at once, with what a browser granted under it, and says when there was nothing left", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await grantTo(hub, "ann");
    await grantTo(hub, "ben");
    const { actor, id } = await signIn(hub);

    const first = await hub.as("ann").call("revoke_session", { session_id: id });
    const second = await hub.as("ann").call("revoke_session", { session_id: id });
    const grant = await hub.as("ann").call("revoke_session", { session_id: "oat_ann" });

    expect(first).toEqual({ revoked: true, session_id: id, user_id: "ann" });
    expect([second["revoked"], grant["revoked"]]).toEqual([false, true]);
    expect(await actor.try("whoami")).toMatchObject({ status: 401 });
    expect(await grantsLeft(hub)).toEqual([{ id: "access of ben" }]);
    expect((await hub.eventsOf(null)).filter(({ kind }) => kind === "signed_out")).toMatchObject([
      { actor: "ann", detail: `ann ${id}` },
      { actor: "ann", detail: "ann oat_ann" },
    ]);
  });

  test("ends an open stream within two seconds", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { actor, id } = await signIn(hub);
    await using stream = await followStream({ url: hub.url, token: () => actor.token }, "ann", "?after=now");

    await hub.as("ann").call("revoke_session", { session_id: id });
    await stream.ended();

    expect(await actor.try("whoami")).toMatchObject({ status: 401 });
  });

  test("knows a person's own alone; an administrator may name another's", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = await signIn(hub, "ben");
    const zoe = await signIn(hub, "zoe", "other");
    const before = await hub.state();

    const replies = [
      await hub.as("ann").try("revoke_session", { session_id: ben.id }),
      await hub.as("ann").try("revoke_session", { session_id: zoe.id }),
      await hub.as("ann").try("revoke_session", { session_id: "no-such-session" }),
      await hub.as("dora").try("revoke_session", { session_id: zoe.id, user_id: "zoe" }),
      await hub.as("dora").try("revoke_session", { session_id: ben.id, user_id: "ann" }),
      await hub.as("ann").try("revoke_session", { session_id: ben.id, user_id: "ben" }),
      await hub.as("ann").try("list_sessions", { user_id: "ben" }),
      await hub.as("annbot").try("list_sessions"),
    ];
    const unchanged = await hub.state();
    const seen = await hub.as("dora").call("list_sessions", { user_id: "ben" });
    const ended = await hub.as("dora").call("revoke_session", { session_id: ben.id, user_id: "ben" });

    expect(replies.map((reply) => (reply.ok ? "ok" : `${reply.status} ${reply.code}`))).toEqual([
      "404 session_not_found",
      "404 session_not_found",
      "404 session_not_found",
      "404 person_not_found",
      "404 session_not_found",
      "403 not_allowed",
      "403 not_allowed",
      "403 not_allowed",
    ]);
    expect(unchanged).toBe(before);
    expect(seen).toMatchObject({ user_id: "ben", count: 2 });
    expect(ended).toMatchObject({ revoked: true });
    expect(await ben.actor.try("whoami")).toMatchObject({ status: 401 });
  });

  test("does not end an agent's token: that is revoke_token's", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const [token] = (await hub.as("ann").call("list_tokens", { agent: "annbot" }))["tokens"] as Value[];

    const reply = await hub.as("ann").try("revoke_session", { session_id: token?.["id"] });

    expect(reply).toMatchObject({ status: 404, code: "session_not_found" });
    expect(await hub.as("annbot").try("whoami")).toMatchObject({ ok: true });
  });
});
