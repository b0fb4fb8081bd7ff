import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeActor, makeNobody } from "../testkit/actor.ts";
import { runHere, runProcess, serveProcess } from "../testkit/command.ts";

let folder: string;
let environment: Record<string, string>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "crewroom-cli-"));
  environment = { CREWROOM_DB: join(folder, "crewroom.db"), DATABASE_URL: "", PORT: "0" };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  await answer("init");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command that must go well and gives its answer. */
async function answer(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await runHere([...args, "--json"]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as Record<string, unknown>; // --json prints one object
}

test("person add makes a person in its rooms, and prints a link to choose a password, once", async () => {
  await answer("room", "add", "ops");

  const { code, out } = await runHere(["person", "add", "ann", "--name", "Ann Ames", "--room", "ops"]);
  const listed = await answer("person", "list");
  const again = await runHere(["person", "add", "ann"]);

  expect(code).toBe(0);
  expect(out).toMatch(/^ann is a person of main now, with the role member\.\n/);
  expect(out).toMatch(/\n {2}http:\/\/\S+\/join\/crw_inv_\w{36}\n/);
  expect(listed["people"]).toMatchObject([
    { user_id: "ann", name: "Ann Ames", role: "member", rooms: ["lobby", "ops"], password: "none" },
  ]);
  expect(JSON.stringify(listed)).not.toContain("crw_inv");
  expect(again).toMatchObject({ code: 5, out: "", err: expect.stringContaining("ann is another member's") });
});

test("person add makes nobody when a room is not there, or the handle is none", async () => {
  const noRoom = await runHere(["person", "add", "ann", "--room", "opps"]);
  const noHandle = await runHere(["person", "add", "Ann"]);
  const noRole = await runHere(["person", "add", "ann", "--role", "owner"]);
  const listed = await answer("person", "list");

  expect([noRoom.code, noHandle.code, noRole.code]).toEqual([4, 2, 2]);
  expect(listed).toMatchObject({ count: 0 });
});

test("a password comes by standard input, exactly but for the line's end, and never by an argument", async () => {
  const password = "  twelve and more é  ";

  const added = await runProcess(
    ["person", "add", "ann", "--role", "admin", "--password-stdin", "--json"],
    environment,
    `${password}\n`,
  );
  const asArgument = await runHere(["person", "password", "ann", "--password", password]);
  const short = await runProcess(["person", "password", "ann", "--password-stdin"], environment, "eleven char\n");
  await using server = await serveProcess(environment);
  const signIn = (sent: string) =>
    makeNobody(server.url).try("login", { org_id: "main", user_id: "ann", password: sent });
  const replies = [await signIn(password), await signIn(password.trim())];

  expect(JSON.parse(added.out)).toMatchObject({ added: true, user_id: "ann", role: "admin", link: null });
  expect([added.code, asArgument.code, short.code]).toEqual([0, 2, 2]);
  expect(replies).toMatchObject([{ ok: true }, { ok: false, code: "wrong_sign_in" }]);
  expect(readFileSync(join(folder, "crewroom.db"), "latin1")).not.toContain("twelve and more");
});

test("person password ends sign-ins beside a running server, and the operator stands in the audit log", async () => {
  await runProcess(["person", "add", "ann", "--role", "admin", "--password-stdin"], environment, "twelve and more\n");
  await runProcess(["person", "add", "dora", "--role", "admin", "--password-stdin"], environment, "twelve and more\n");
  await using server = await serveProcess(environment);
  const signIn = async (user_id: string) => {
    const reply = await makeNobody(server.url).call("login", { org_id: "main", user_id, password: "twelve and more" });
    return makeActor(server.url, user_id, reply["auth_token"]);
  };
  const ann = await signIn("ann");
  const dora = await signIn("dora");
  await ann.call("whoami");

  const reset = await answer("person", "password", "ann");
  const again = await makeNobody(server.url).try("login", {
    org_id: "main",
    user_id: "ann",
    password: "twelve and more",
  });
  const resetAt = performance.now();
  while ((await ann.try("whoami")).ok && performance.now() - resetAt < 10_000);
  const took = performance.now() - resetAt;
  const audited = (await dora.call("get_audit_log"))["events"] as Record<string, unknown>[];

  expect(reset).toMatchObject({ reset: true, user_id: "ann", sessions_ended: 1 });
  expect(reset["link"]).toMatch(new RegExp(`^${server.url}/join/crw_inv_`));
  expect(again).toMatchObject({ code: "wrong_sign_in" });
  expect(took).toBeLessThan(2_000);
  expect(audited.filter(({ actor }) => actor === "operator").map(({ kind, address }) => [kind, address])).toEqual(
    expect.arrayContaining([
      ["password_changed", "shell"],
      ["signed_out", "shell"],
      ["person_invited", "shell"],
      ["member_added", "shell"],
    ]),
  );
});

test("call takes a password on standard input, and from no argument", async () => {
  await runProcess(["person", "add", "ann", "--password-stdin"], environment, "8 chars!\n");
  await using server = await serveProcess(environment);
  const client = { CREWROOM_URL: server.url };
  const input = { org_id: "main", user_id: "ann", password: "8 chars!" };
  vi.stubEnv("CREWROOM_URL", server.url);

  const signedIn = await runProcess(["call", "login", "-"], client, JSON.stringify(input));
  const arguments_ = [
    await runHere(["call", "login", "--org-id", "main", "--user-id", "ann", "--password", "8 chars!"]),
    await runHere(["call", "login", "--json", JSON.stringify(input)]),
    await runHere(["call", "change_password", "--old-password", "8 chars!", "--new_password", "9 chars!!"]),
  ];

  expect(signedIn).toMatchObject({ code: 0, err: "" });
  expect(JSON.parse(signedIn.out)).toMatchObject({ logged_in: true, auth_token: expect.stringMatching(/^crw_usr_/) });
  expect(arguments_.map(({ code }) => code)).toEqual([2, 2, 2]);
  expect(arguments_[0]?.err).toMatch(/^password is a secret.*standard input/);
  expect(arguments_[2]?.err).toMatch(/^old_password is a secret/);
  expect(JSON.stringify(arguments_)).not.toContain("chars!");
});
