import { expect, test } from "vitest";
import { hashToken, makeToken } from "../../access/tokens.ts";
import { operations } from "../../operations.ts";
import { sql } from "../../store/sql.ts";
import type { Operation } from "../../core/operation.ts";
import { makeActor, type Value } from "../../testkit/actor.ts";
import { addPerson, PASSWORD } from "../../testkit/cast.ts";
import { connect } from "../../testkit/mcp-client.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { followStream } from "../../testkit/stream.ts";

const CANARY = "canary-3fa9";

/** Calls as nobody, as a program without a credential does. */
async function asNobody({ url }: TestHub, input: Value): Promise<{ status: number; code?: string; text: string }> {
  const response = await fetch(`${url}/api/update_user_profile_notes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { code: string } };
  return { status: response.status, text, ...(error && { code: error.code }) };
}

/** Seats the person whose password an `admin_password` is. */
async function seatAdmin({ hub }: TestHub, organization = "main") {
  await hub.store.write(organization, (tx) =>
    addPerson(tx, organization, "admin", { role: "admin", rooms: ["lobby"] }),
  );
}

onEachStore("update_user_profile_notes", (start) => {
  test("works with an administrator's credential, and is told without the notes", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const set = await hub.as("dora").call("update_user_profile_notes", { user_id: "ben", profile_notes: CANARY });
    const seen = await hub.as("dora").call("get_user_profile", { user_id: "ben" });

    expect(set).toEqual({ updated: true, org_id: "main", user_id: "ben" });
    expect(seen["profile"]).toMatchObject({ user_id: "ben", profile_notes: CANARY });
    expect((await hub.eventsOf(null)).at(-1)).toEqual({
      kind: "member_changed",
      actor: "dora",
      detail: "ben profile notes",
      concerns: [],
    });
  });

  test("works with the admin password, which from then on counts as known to tools; the act is the admin's", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await seatAdmin(hub);
    const input = { org_id: "main", admin_password: PASSWORD, user_id: "ben", profile_notes: CANARY };

    const set = await asNobody(hub, input);
    const members = (await hub.as("dora").call("list_members"))["members"] as Value[];
    const [act] = (await hub.as("dora").call("get_audit_log", { kind: "member_changed" }))["events"];

    expect(set.status).toBe(200);
    expect(members.find(({ user_id }) => user_id === "ben")).toMatchObject({ profile_notes: CANARY });
    expect(members.find(({ user_id }) => user_id === "admin")).toMatchObject({ password: "known to tools" });
    expect(act).toMatchObject({ actor: "admin", address: "127.0.0.1", credential: "anyone:127.0.0.1" });
    expect(JSON.stringify(await hub.hub.store.read((tx) => tx.all(sql`select * from events`)))).not.toContain(PASSWORD);
  });

  test("refuses alike an unknown organization, one without admin, and a wrong password", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await seatAdmin(hub);
    const before = await hub.state();
    const input = { user_id: "ben", profile_notes: "x" };

    const replies = [];
    for (const more of [
      { org_id: "main", admin_password: "wrong password" },
      { org_id: "other", admin_password: PASSWORD },
      { org_id: "no-such", admin_password: PASSWORD },
      { admin_password: PASSWORD },
    ])
      replies.push(await asNobody(hub, { ...input, ...more }));

    expect(replies.map(({ status, code }) => `${status} ${code}`)).toEqual(replies.map(() => "401 wrong_sign_in"));
    expect(await hub.state()).toBe(before);
  });

  test("is nobody's without proof: not a person's, not its agent's, not another organization's administrator's", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const before = await hub.state();
    const input = { user_id: "ben", profile_notes: "x" };

    const nobody = await asNobody(hub, { ...input, org_id: "main" });
    const foreign = await hub.as("yuri").try("update_user_profile_notes", { ...input, org_id: "main" });
    const own = await Promise.all(
      ["ben", "benbot", "annreader", "box1", "chief", "watcher"].map((handle) =>
        hub.as(handle).try("update_user_profile_notes", input),
      ),
    );

    expect(nobody).toMatchObject({ status: 401, code: "not_signed_in" });
    expect(foreign).toMatchObject({ status: 401, code: "not_signed_in" });
    expect(own).toMatchObject(own.map(() => ({ status: 403, code: "not_allowed" })));
    expect(await hub.state()).toBe(before);
  });

  test("knows unknown people, agents and other organizations' people alike", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const replies = await Promise.all(
      ["nobody", "box1", "zoe"].map((user_id) =>
        hub.as("dora").try("update_user_profile_notes", { user_id, profile_notes: "x" }),
      ),
    );

    expect(replies).toMatchObject(replies.map(() => ({ status: 404, code: "person_not_found" })));
  });

  test("gives nothing for a password that was right but is another one by the time of the write", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await seatAdmin(hub);
    const input = { org_id: "main", admin_password: PASSWORD, user_id: "ben", profile_notes: "x" };
    const { passwords } = hub.hub.core;
    const { check } = passwords;
    Object.assign(passwords, {
      async check(...asked: Parameters<typeof check>) {
        const passed = await check(...asked);
        await hub.hub.store.write("main", (tx) =>
          tx.run(sql`update persons set password_hash = 'another' where handle = 'admin'`),
        );
        return passed;
      },
    });

    const reply = await asNobody(hub, input);

    expect(reply).toMatchObject({ status: 401, code: "wrong_sign_in" });
  });
});

onEachStore("what an administrator noted of a person (B10.22)", (start) => {
  test("is seen by administrators alone: by no operation, tool or stream of anybody else", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    await hub.seatPeople();
    for (const user_id of ["ann", "ben", "cleo", "dora"])
      await hub.as("dora").call("update_user_profile_notes", { user_id, profile_notes: `${CANARY} of ${user_id}` });
    const asked = await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Which are open?" });
    await hub.as("cleo").call("ask_person", { to_user_id: "ann", question: "Which are open?" });
    const seen: string[] = [JSON.stringify(asked)];
    await using stream = await followStream(hub, "ann", "?after=all");

    const inputs: Record<string, Value> = {
      login: { org_id: "main", user_id: "ann", password: PASSWORD },
      get_user_profile: { user_id: "ben" },
      ask_person: { to_user_id: "ben", question: "And these?" },
    };
    // What would end the sessions that are looked through.
    const leaveOut = new Set(["logout", "change_password", "revoke_session", "revoke_token", "delete_room"]);
    for (const operation of operations as readonly Operation[]) {
      if (leaveOut.has(operation.name)) continue;
      const input = inputs[operation.name] ?? operation.example;
      for (const handle of ["ann", "annbot", "annreader", "ben", "box1", "chief", "zoe", "yuri"])
        seen.push(
          JSON.stringify(
            await hub.as(handle).try(operation.name, operation.kind === "wait" ? { timeout_s: 1 } : input),
          ),
        );
    }
    await using mcp = await connect(hub, "ann");
    const offered = new Set((await mcp.tools()).map(({ name }) => name));
    for (const { name, example, kind } of operations as readonly Operation[])
      if (kind === "query" && offered.has(name)) seen.push(await mcp.text(name, inputs[name] ?? example));
    await hub.as("box1").call("post_message", { body: "so that there is a frame" });
    seen.push(JSON.stringify(await stream.next("chat")));
    const administrators = await hub.as("dora").call("list_users");

    expect(seen.join("\n")).toContain("user_id");
    expect(seen.filter((text) => text.includes(CANARY))).toEqual([]);
    expect(JSON.stringify(administrators)).toContain(CANARY);
  });

  test("is not seen by an administrator's own agent, nor by its sign-in without administration", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("update_user_profile_notes", { user_id: "ben", profile_notes: CANARY });
    const made = await hub.as("dora").call("create_token", { agent: "dorabot", owner: "dora", room: "lobby" });
    const grant = makeToken("usr");
    await hub.hub.store.write("main", async (tx) => {
      await tx.run(sql`
        insert into tokens (organization, id, kind, member, hash, admin, created_at, created_by)
        values ('main', 'grant', 'usr', 'dora', ${hashToken(grant)}, 0, ${tx.now}, 'dora')`);
    });

    const profiles = [];
    for (const token of [made["token"], grant])
      profiles.push(await makeActor(hub.url, "dora", token).call("get_user_profile", { user_id: "ben" }));

    expect(JSON.stringify(profiles)).not.toContain(CANARY);
  });
});

onEachStore("who talks to whom (B10.23)", (start) => {
  test("is the pair's own: a profile counts what went between its reader and that person, and nobody else's", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "One?" });
    await hub.as("ben").call("ask_person", { to_user_id: "ann", question: "Two?" });
    await hub.as("cleo").call("ask_person", { to_user_id: "ben", question: "Three?" });
    await hub.as("cleo").call("ask_person", { to_user_id: "dora", question: "Four?" });
    const countOf = async (reader: string, user_id: string) =>
      (await hub.as(reader).call("get_user_profile", { user_id }))["interactions"].map(
        ({ other_user_id, message_count }: Value) => `${other_user_id} ${message_count}`,
      );

    expect(await countOf("ann", "ben")).toEqual(["ben 2"]);
    expect(await countOf("annbot", "ben")).toEqual(["ben 2"]);
    expect(await countOf("ben", "ann")).toEqual(["ann 2"]);
    expect(await countOf("ann", "cleo")).toEqual([]);
    expect(await countOf("dora", "ben")).toEqual([]);
    expect(await countOf("cleo", "ben")).toEqual(["ben 1"]);
    expect(await countOf("ann", "ann")).toEqual([]);
  });
});
