import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readSettings } from "../config.ts";
import { insertPerson } from "../features/people/person-queries.ts";
import { openStore } from "../hub.ts";
import type { Value } from "../testkit/actor.ts";
import { runHere } from "../testkit/command.ts";

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "crewroom-cli-"));
  vi.stubEnv("CREWROOM_DB", join(folder, "crewroom.db"));
  vi.stubEnv("DATABASE_URL", "");
  vi.stubEnv("CREWROOM_PUBLIC_URL", "https://crew.example");
  await answer("init");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command that must go well and gives its answer. */
async function answer(...args: string[]): Promise<Value> {
  const { code, out, err } = await runHere([...args, "--json"]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as Value; // --json prints one object
}

/** People as they are once they have joined. */
async function seat(...people: { handle: string; role: "member" | "admin" }[]) {
  const store = await openStore(readSettings(), {});
  await store.write("main", async (tx) => {
    for (const { handle, role } of people)
      await insertPerson(tx, {
        organization: "main",
        handle,
        role,
        name: `${handle} \u001b[31m`,
        passwordHash: "$argon2id$",
        exposed: false,
      });
  });
  await store.close();
}

describe("person", () => {
  test("invite shows a link once, which is listed without its secret until it is withdrawn", async () => {
    const shown = await runHere(["person", "invite", "--handle", "eve", "--role", "admin", "--expires", "2d"]);
    const [link = ""] = /https:\/\/crew\.example\/join\/crw_inv_\w{36}/.exec(shown.out) ?? [];
    const listed = await answer("person", "invitations");
    const [{ invitation_id: id }] = listed["invitations"];
    const table = await runHere(["person", "invitations"]);
    const withdrawn = await answer("person", "withdraw", id);
    const again = await runHere(["person", "withdraw", id]);

    expect(link).not.toBe("");
    expect(listed).toMatchObject({
      count: 1,
      invitations: [{ user_id: "eve", role: "admin", invited_by: "operator" }],
    });
    expect(table.out).toMatch(/to join as admin +eve +operator/);
    expect(table.out).not.toContain("crw_inv_");
    expect(withdrawn).toEqual({ revoked: true, invitation_id: id });
    expect(again.code).toBe(4);
    expect((await runHere(["person", "invitations"])).out).toContain("No link is open");
  });

  test("list shows people, and nothing raw of what they call themselves", async () => {
    const none = await runHere(["person", "list"]);
    await seat({ handle: "ann", role: "member" }, { handle: "dora", role: "admin" });
    await answer("token", "add", "--agent", "annbot", "--owner", "ann", "--room", "lobby");

    const listed = await answer("person", "list");
    const { out } = await runHere(["person", "list"]);

    expect(none.out).toContain("person invite");
    expect(listed["people"].map(({ user_id }: Value) => user_id)).toEqual(["ann", "dora"]);
    expect(out).toMatch(/ann +member +lobby +here +chosen +never/);
    expect(out).toMatch(/dora +admin +\(all\)/);
    expect(out).not.toContain("\u001b");
  });

  test("deactivate asks first, ends the person with its agents, and leaves the last administrator", async () => {
    await seat({ handle: "ann", role: "member" }, { handle: "dora", role: "admin" });
    await answer("token", "add", "--agent", "annbot", "--owner", "ann", "--room", "lobby");

    const unsure = await runHere(["person", "deactivate", "ann"]);
    const ended = await runHere(["person", "deactivate", "ann", "--yes"]);
    const gone = await runHere(["person", "deactivate", "ann", "--yes"]);
    const last = await runHere(["person", "deactivate", "dora", "--yes"]);
    const people = (await answer("person", "list"))["people"] as Value[];

    expect([unsure.code, ended.code, gone.code, last.code]).toEqual([2, 0, 4, 5]);
    expect(ended.out).toContain("with its agents annbot: 1 credentials ended");
    expect(people.map(({ deactivated_at }) => deactivated_at === null)).toEqual([false, true]);
  });
});

describe("token add", () => {
  test("--owner says whose agent it is; a person must be there", async () => {
    await seat({ handle: "ann", role: "member" });

    const { out } = await runHere(["token", "add", "--agent", "annbot", "--owner", "ann", "--room", "lobby"]);
    const nobody = await runHere(["token", "add", "--agent", "box1", "--owner", "bob", "--room", "lobby"]);
    const another = await runHere(["token", "add", "--agent", "annbot", "--owner", "annbot", "--room", "lobby"]);

    expect(out).toContain("New member annbot, an agent of ann: read, write in lobby");
    expect([nobody.code, another.code]).toEqual([4, 4]);
  });
});

describe("org", () => {
  test("policy shows the rules and sets those that are given", async () => {
    const before = await answer("org", "policy");
    const set = await runHere(["org", "policy", "--minimum-assurance", "asserted", "--invitations-by", "members"]);
    const wrong = await runHere(["org", "policy", "--minimum-assurance", "none"]);
    const after = await answer("org", "policy");

    expect(before).toEqual({ minimum_assurance: "confirmed", invitations_by: "admins" });
    expect(set.out).toBe("An answer leaves when it is asserted, at least. All people may invite.\n");
    expect(wrong.code).toBe(2);
    expect(after).toEqual({ minimum_assurance: "asserted", invitations_by: "members" });
  });

  test("audit exports every act of administration, with who did it and from where", async () => {
    await answer("org", "policy", "--invitations-by", "members");
    const { id } = await answer("token", "add", "--agent", "box1", "--room", "forge");
    await answer("token", "revoke", "--id", id);

    const audit = await answer("org", "audit");
    const { out } = await runHere(["org", "audit"]);

    expect(audit["events"].map(({ kind }: Value) => kind).slice(0, 5)).toEqual([
      "token_revoked",
      "token_created",
      "member_added",
      "room_created",
      "policy_changed",
    ]);
    expect(audit["events"][0]).toMatchObject({ actor: "operator", credential: "operator", address: "shell" });
    expect(audit["count"]).toBe(audit["events"].length);
    expect(out).toMatch(/operator +policy_changed +operator +shell +invitations_by: admins to members/);
  });

  test("erase asks first, deactivates, and leaves the list with a former member", async () => {
    await seat({ handle: "ann", role: "member" }, { handle: "dora", role: "admin" });

    const unsure = await runHere(["person", "erase", "ann"]);
    const erased = await answer("person", "erase", "ann", "--yes");
    const again = await runHere(["person", "erase", "ann", "--yes"]);
    const last = await runHere(["person", "erase", "dora", "--yes"]);
    const { people } = await answer("person", "list");

    expect(unsure).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    expect(erased).toEqual({ erased: true, former: "former-member-1" });
    expect([again.code, last.code]).toEqual([4, 5]);
    expect(people.map(({ user_id, name }: Value) => [user_id, name])).toEqual([
      ["dora", expect.any(String)],
      ["former-member-1", "Former member"],
    ]);
  });
});
