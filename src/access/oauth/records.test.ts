import { expect, it } from "vitest";
import { sweepGrants } from "../../housekeeping.ts";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { letIn, openVisit, registerClient } from "../../testkit/oauth.ts";
import { openRecords } from "./records.ts";

interface Row {
  readonly kind: string;
  readonly id: string;
  readonly payload: string;
}

const recordsOf = (hub: TestHub) =>
  hub.hub.store.read((tx) => tx.all<Row>(sql`select * from oauth_records order by kind, id`));

const kindsIn = async (hub: TestHub) => {
  const counts = Map.groupBy(await recordsOf(hub), ({ kind }) => kind);
  return Object.fromEntries([...counts].map(([kind, rows]) => [kind, rows.length]));
};

onEachStore("what the authorization server keeps", (start) => {
  it("has no secret in it: no token, code, grant or sign-in under way could be taken from there", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { access, refresh } = await letIn(hub, "ann");
    const client = await registerClient(hub.url);
    const visit = openVisit(hub.url, await hub.browser("ann"));
    const page = await visit.get(`/oauth/authorize?${client.request().toString()}`);
    const code = (await client.signIn(await hub.browser("ann"))).searchParams.get("code") ?? "";

    const rows = await recordsOf(hub);

    const secrets = [access, refresh, code, page.path.split("/").at(-1) ?? ""];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThanOrEqual(43);
      for (const row of rows) expect(JSON.stringify(row), row.kind).not.toContain(secret);
    }
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(
      new Set(["AccessToken", "AuthorizationCode", "Client", "Grant", "Interaction", "RefreshToken"]),
    );
    for (const { id } of rows) expect(id).toMatch(/^[0-9a-f]{64}$/);
    for (const { kind, payload } of rows) expect(payload, kind).not.toMatch(/client_secret|code_verifier|"jti":"\w/);
  });

  it("gives a record back as it was, its secret in every place where it stood", async () => {
    await using hub = await start();
    const records = openRecords(hub.hub.core);
    const secret = "a-secret-of-the-test-with-enough-characters";
    const payload = { jti: secret, returnTo: `http://x/${secret}?a=\u0001`, exp: 0, list: [secret, "other"] };

    await records.keep("Interaction", secret, payload, 60);
    const found = await records.find("Interaction", secret);

    expect(found).toEqual({ ...payload, exp: expect.any(Number) });
    const left = Number(found?.["exp"]) - Date.now() / 1_000;
    expect(left).toBeGreaterThan(50);
    expect(left).toBeLessThanOrEqual(61);
    expect(await records.find("Grant", secret)).toBeUndefined();
    expect(await records.find("Interaction", `${secret}x`)).toBeUndefined();
    hub.later({ seconds: 61 });
    expect(await records.find("Interaction", secret)).toBeUndefined();
  });

  it("counts no grant whose credential ended, whatever ended it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ends = {
      revoked: sql`update tokens set revoked_at = 1 where kind = 'oat'`,
      expired: sql`update tokens set expires_at = 1 where kind = 'oat'`,
      "its person gone": sql`update members set deactivated_at = 1 where handle = 'ann'`,
      removed: sql`delete from tokens where kind = 'oat'`,
    };

    for (const [how, end] of Object.entries(ends)) {
      const { client, refresh } = await letIn(hub, how === "removed" ? "ben" : "ann");
      await hub.hub.store.write("main", (tx) => tx.run(end));
      expect(await client.refresh(refresh), how).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
  });

  it("lets one of many use a record up", async () => {
    await using hub = await start();
    const records = openRecords(hub.hub.core);
    await records.keep("Interaction", "a record of the test", {}, 60);

    const tries = await Promise.all(
      Array.from({ length: 8 }, () => records.consume("Interaction", "a record of the test")),
    );

    expect(tries.filter(Boolean)).toHaveLength(1);
    await records.keep("Interaction", "a record of the test", { changed: true }, 60);
    expect(await records.consume("Interaction", "a record of the test")).toBe(false);
  });

  it("has room for so many clients: those that nobody signed in with go first, oldest first", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { client } = await letIn(hub, "ann");
    const records = openRecords(hub.hub.core, 3);
    const keep = (name: string) => records.keep("Client", name, { client_id: name }, 86_400);
    const there = async (...names: string[]) =>
      (await Promise.all(names.map((name) => records.find("Client", name)))).map((found) => found !== undefined);

    await keep("first");
    hub.later({ seconds: 1 });
    await keep("second");
    hub.later({ seconds: 1 });
    await keep("third");
    expect(await there(client.id, "first", "second", "third")).toEqual([true, false, true, true]);
    hub.later({ seconds: 1 });
    await keep("fourth");
    expect(await there(client.id, "second", "third", "fourth")).toEqual([true, false, true, true]);
    await openRecords(hub.hub.core, 1).keep("Client", "fifth", { client_id: "fifth" }, 86_400);
    expect(await there(client.id, "third", "fourth", "fifth")).toEqual([false, false, false, true]);
  });

  it("is swept of what ran out, and the list of sign-ins of what ended a month ago", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const kept = await letIn(hub, "ann");
    const idle = await letIn(hub, "ann");
    const grants = () =>
      hub.hub.store.read(async (tx) => (await tx.all(sql`select id from tokens where kind = 'oat'`)).length);
    const before = await kindsIn(hub);

    hub.later({ hours: 2 });
    await sweepGrants(hub.hub.core);
    const afterHours = await kindsIn(hub);
    hub.later({ days: 29 });
    const next = await kept.client.refresh(kept.refresh);
    hub.later({ days: 2 });
    await sweepGrants(hub.hub.core);
    const afterAMonth = await kindsIn(hub);
    const listed = await grants();
    hub.later({ days: 30 });
    await sweepGrants(hub.hub.core);

    expect(before).toEqual({ AccessToken: 2, AuthorizationCode: 2, Client: 2, Grant: 2, RefreshToken: 2 });
    expect(afterHours).toEqual({ Client: 2, Grant: 2, RefreshToken: 2 });
    // The token that was replaced is over too, and with it what could be made of it.
    expect(afterAMonth).toEqual({ Client: 1, Grant: 1, RefreshToken: 1 });
    expect(next.status).toBe(200);
    expect(await idle.client.refresh(idle.refresh)).toMatchObject({ status: 401 });
    expect([listed, await grants()]).toEqual([2, 1]);
  });
});
