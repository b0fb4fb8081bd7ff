import { expect, test } from "vitest";
import { sql } from "../../store/sql.ts";
import type { Value } from "../../testkit/actor.ts";
import { connect } from "../../testkit/mcp-client.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { followStream } from "../../testkit/stream.ts";

/** Asks, drafts and lets the draft wait for its person. Gives the question's number. */
async function letWait(hub: TestHub, asker: string, recipient: string): Promise<number> {
  const asked = await hub.as(asker).call("ask_person", { to_user_id: recipient, question: "Which invoices are open?" });
  const message_id = asked["message_id"] as number;
  await hub.as(recipient).call("propose_response", { message_id, draft_text: "Three." });
  await hub.as(recipient).call("send_response", { message_id });
  return message_id;
}

const stateOf = async (hub: TestHub, number: number) =>
  hub.hub.store.read(async (tx) => ({
    ...(await tx.one<Value>(
      sql`select state, closed_by, reason from questions where organization = 'main' and number = ${number}`,
    )),
    approvals: (await tx.all<{ state: string }>(sql`select state from approvals where question = ${number}`)).map(
      ({ state }) => state,
    ),
  }));

onEachStore("deactivate_member", (start) => {
  test("ends a person with its sessions, its agents and their tokens at once, and says what it ended", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const page = await hub.browser("ann");
    await using mcp = await connect(hub, "annbot");
    const before = [await page.try("list_rooms"), await hub.as("ann").try("list_rooms"), await mcp.tools()];
    expect(before).toMatchObject([{ ok: true }, { ok: true }, expect.any(Array)]);

    const ended = await hub.as("dora").call("deactivate_member", { user_id: "ann" });
    const after = await Promise.all([
      page.try("list_rooms"),
      ...["ann", "annbot", "annreader"].map((handle) => hub.as(handle).try("list_rooms")),
    ]);
    const agents = await hub.as("box1").call("list_agents");

    expect(ended).toEqual({
      deactivated: true,
      user_id: "ann",
      agents: ["annbot", "annreader"],
      credentials: 4,
      questions: 0,
      invitations: 0,
    });
    expect(after).toMatchObject(after.map(() => ({ status: 401, code: "not_signed_in" })));
    await expect(mcp.call("list_rooms", {})).rejects.toThrow();
    expect(JSON.stringify(agents)).not.toContain('"ann');
    const events = (await hub.eventsOf(null)).slice(-7);
    expect(events.slice(0, 3)).toEqual(
      ["ann", "annbot", "annreader"].map((handle) => ({
        kind: "member_changed",
        actor: "dora",
        detail: `${handle} deactivated`,
        concerns: [handle],
      })),
    );
    expect(
      events
        .slice(3)
        .map(({ kind, concerns }) => `${kind} ${concerns?.[0]}`)
        .toSorted(),
    ).toEqual(["signed_out ann", "signed_out ann", "token_revoked annbot", "token_revoked annreader"]);
  });

  test("ends open streams, of the person and of its agents, within two seconds", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using person = await followStream(hub, "ann", "?after=now");
    await using agent = await followStream(hub, "annbot", "?after=now");

    await hub.as("dora").call("deactivate_member", { user_id: "ann" });
    const endedAt = performance.now();
    await Promise.all([person.ended(), agent.ended()]);

    expect(performance.now() - endedAt).toBeLessThan(2_000);
  });

  test("ends one agent alone and leaves its person", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const ended = await hub.as("boss").call("deactivate_member", { user_id: "annbot" });
    const replies = await Promise.all(["annbot", "ann", "annreader"].map((handle) => hub.as(handle).try("list_rooms")));

    expect(ended).toMatchObject({ agents: [], credentials: 1 });
    expect(replies.map((reply) => reply.ok)).toEqual([false, true, true]);
  });

  test("closes what it was asked and what it asked, tells the other side, and lets nothing of it be approved", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const toBen = await letWait(hub, "ann", "ben");
    const toAnn = await letWait(hub, "ben", "ann");
    const others = await letWait(hub, "cleo", "dora");
    const overdue = await letWait(hub, "cleo", "ben");
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update questions set expires_at = ${tx.now} where number = ${overdue}`),
    );

    const ended = await hub.as("dora").call("deactivate_member", { user_id: "ben" });
    const replies = await hub.as("ann").call("check_replies");

    expect(ended).toMatchObject({ questions: 3 });
    const closed = { closed_by: "crewroom", reason: "ben has left.", approvals: ["void"] };
    expect(await stateOf(hub, toBen)).toEqual({ ...closed, state: "declined" });
    expect(await stateOf(hub, toAnn)).toEqual({ ...closed, state: "withdrawn" });
    expect(await stateOf(hub, overdue)).toMatchObject({ state: "expired", approvals: ["void"] });
    expect(await stateOf(hub, others)).toMatchObject({ state: "awaiting_approval", approvals: ["open"] });
    expect(JSON.stringify(replies)).toContain("ben has left.");
  });

  test("leaves the last administrator who can sign in, also when two end each other at once", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const alone = await hub.as("boss").try("deactivate_member", { user_id: "dora" });
    await hub.hub.store.write("main", (tx) => tx.run(sql`update persons set role = 'admin' where handle = 'ann'`));
    hub.hub.callers.forget();

    const replies = await Promise.all([
      hub.as("ann").try("deactivate_member", { user_id: "dora" }),
      hub.as("dora").try("deactivate_member", { user_id: "ann" }),
    ]);
    const left = (await hub.as("boss").call("list_members"))["members"] as Value[];

    expect(alone).toMatchObject({ status: 409, code: "last_administrator" });
    expect(replies.filter((reply) => reply.ok)).toHaveLength(1);
    expect(left.filter(({ role, deactivated_at }) => role === "admin" && deactivated_at === null)).toHaveLength(1);
  });

  test("answers alike for unknown members, those of other organizations, and those who are gone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });
    const before = await hub.state();

    const replies = [];
    for (const user_id of ["nobody", "zoe", "stranger", "cleo", "admin", "crewroom"])
      replies.push(await hub.as("dora").try("deactivate_member", { user_id }));

    expect(replies).toMatchObject(replies.map(() => ({ status: 404, code: "person_not_found" })));
    expect(await hub.state()).toBe(before);
    expect((await hub.as("zoe").try("list_rooms")).ok).toBe(true);
  });
});
