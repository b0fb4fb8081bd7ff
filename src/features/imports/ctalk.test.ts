import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { OPERATOR_AUTHOR } from "../../access/operator.ts";
import { openForeign } from "../../store/foreign.ts";
import { sql } from "../../store/sql.ts";
import { makeActor, makeNobody } from "../../testkit/actor.ts";
import { makeDatabase, TESTED_STORES } from "../../testkit/databases.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { CTALK_PASSWORDS, CTALK_TOKENS, ctalkStatements } from "../../testkit/originals.ts";
import { erasePerson } from "../erasure/erase-person.ts";
import { verdictOn } from "../integrity/verdict.ts";
import { importCtalk } from "./ctalk.ts";

onEachStore("importing Ctalk", (start) => {
  for (const from of TESTED_STORES)
    test(`from ${from} brings people, their passwords, tokens and questions over`, async () => {
      await using hub = await start();
      await using there = await ctalk(from);

      const report = await bringCtalk(hub, there.place);

      expect(report.organizations).toEqual(["odd", "acme"]);
      expect(report.counts).toMatchObject({
        person: { imported: 6 },
        token: { imported: 2 },
        question: { imported: 5 },
      });
      expect(report.renamed).toEqual([
        { organization: "odd", kind: "organization", old: "-odd-", new: "odd" },
        { organization: "acme", kind: "person", old: "admin", new: "admin-2" },
      ]);
      const ann = makeActor(hub.url, "ann", CTALK_TOKENS.ann);
      hub.later({ seconds: 2 });
      expect((await ann.call("whoami"))["profile"]).toMatchObject({
        user_id: "ann",
        name: "Ann",
        ownership: ["billing", "postgres"],
        notes: "mornings only",
      });
      expect((await ann.call("check_replies"))["replies"]).toMatchObject([
        { id: 1, to_user_id: "ben", final_response: "Three, with pauses.", assurance: "asserted" },
        { id: 3, to_user_id: "zoe", final_response: "Yes.", assurance: "asserted" },
      ]);
      expect((await ann.call("check_inbox"))["pending"]).toMatchObject([
        { id: 2, query_text: "Which colour?", draft_response: "Green." },
      ]);
      expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
    });

  test("lets people sign in with their passwords, which are hashed anew, and counts them as known to tools", async () => {
    await using hub = await start();
    await using there = await ctalk("sqlite");
    await bringCtalk(hub, there.place);
    const stored = async (handle: string) =>
      (
        await hub.hub.store.read((tx) =>
          tx.one<{ password_hash: string }>(
            sql`select password_hash from persons where organization = 'acme' and handle = ${handle}`,
          ),
        )
      )?.password_hash;
    const login = (user_id: string, password: string) =>
      makeNobody(hub.url).try("login", { org_id: "acme", user_id, password });

    const before = await stored("ann");
    const wrong = await login("ann", "wrong horse");
    const between = await stored("ann");
    const ends = [
      await login("ann", CTALK_PASSWORDS.ann),
      await login("ben", CTALK_PASSWORDS.ben),
      await login("admin-2", CTALK_PASSWORDS.ben),
      await login("admin", CTALK_PASSWORDS.founder),
    ];
    const after = await stored("ann");
    const again = await login("ann", CTALK_PASSWORDS.ann);

    expect(wrong).toMatchObject({ ok: false, code: "wrong_sign_in" });
    expect([before, between].map((hash) => hash?.startsWith("pbkdf2_sha256$200000$"))).toEqual([true, true]);
    expect(ends.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect(after).toMatch(/^\$argon2id\$/);
    expect(again.ok).toBe(true);
    expect(
      await hub.hub.store.read((tx) =>
        tx.all(
          sql`select handle from persons where organization = 'acme' and exposed_at is null and password_hash is not null`,
        ),
      ),
    ).toEqual([]);
  });

  test("brings nobody back who was erased here", async () => {
    await using hub = await start();
    await using there = await ctalk("sqlite");
    await bringCtalk(hub, there.place);
    await makeActor(hub.url, "admin", await loginAs(hub, "admin", CTALK_PASSWORDS.founder)).call("deactivate_member", {
      user_id: "ben",
    });
    await erasePerson(hub.hub.store, "acme", "ben", OPERATOR_AUTHOR);

    const again = await bringCtalk(hub, there.place);

    expect(again.counts["person"]).toEqual({ imported: 0, already: 3, skipped: 1 });
    expect(again.counts["question"]).toMatchObject({ imported: 0, already: 5 });
    const rows = await hub.hub.store.read((tx) =>
      tx.all(sql`select handle from members where handle = 'ben' and organization = 'acme'`),
    );
    expect(rows).toEqual([]);
    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
  });

  test("can be run again, and goes on in the organizations that it made", async () => {
    await using hub = await start();
    await using there = await ctalk("sqlite");
    await bringCtalk(hub, there.place);
    const once = await hub.state();

    const again = await bringCtalk(hub, there.place);

    expect(await hub.state()).toBe(once);
    expect(again.organizations).toEqual(["odd", "acme"]);
    expect(again.counts["question"]).toEqual({ imported: 0, already: 5, skipped: 0 });
  });
});

async function loginAs(hub: TestHub, user_id: string, password: string): Promise<string> {
  return (await makeNobody(hub.url).call("login", { org_id: "acme", user_id, password }))["auth_token"] as string; // its own answer
}

function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-import-"));
  return { folder, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** A database of Ctalk, on SQLite or Postgres. */
async function ctalk(kind: "sqlite" | "postgres") {
  if (kind === "sqlite") {
    const { folder } = scratchFolder();
    const place = join(folder, "relay.sqlite3");
    const db = new DatabaseSync(place);
    for (const [statement, values] of ctalkStatements()) db.prepare(statement).run(...values);
    db.close();
    return { place, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }) };
  }
  const database = await makeDatabase("postgres");
  const place = database.settings["DATABASE_URL"] ?? "";
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  // Its own tables beside ours would have the same names.
  await client.query("drop schema public cascade; create schema public");
  for (const [statement, values] of ctalkStatements()) {
    let count = 0;
    await client.query(
      statement.replaceAll("?", () => `$${(count += 1)}`),
      [...values],
    );
  }
  await client.end();
  return { place, [Symbol.asyncDispose]: database.remove };
}

async function bringCtalk({ hub }: TestHub, place: string) {
  const foreign = await openForeign(place);
  try {
    return await importCtalk(hub.store, foreign, "ctalk");
  } finally {
    await foreign.close();
  }
}
