import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Value } from "../testkit/actor.ts";
import { makeVisitor } from "../testkit/page-visitor.ts";
import { runProcess, serveProcess, spawnCommand } from "../testkit/command.ts";

let folder: string;
let database: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "crewroom-serve-"));
  database = join(folder, "data/crewroom.db");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a server that must not come up; gives its one sentence. */
async function refusedStart(environment: Readonly<Record<string, string>>): Promise<string> {
  const { code, out, err } = await runProcess(["serve"], { CREWROOM_DB: database, PORT: "0", ...environment });
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(/^[A-Z][^\n]+\.\n$/);
  return err;
}

test("serve says in one sentence what keeps it from starting, and ends with 2", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as { port: number }; // it listens on an address
  writeFileSync(join(folder, "file"), "");
  const newer = join(folder, "newer.db");
  const file = new DatabaseSync(newer);
  file.exec("create table migrations (name text primary key, digest text not null, applied_at text)");
  file.exec("insert into migrations values ('9999-from-the-future', 'x', '')");
  file.close();

  const said = {
    port: await refusedStart({ PORT: String(port) }),
    setting: await refusedStart({ CREWROOM_LEASE_MINUTES: "soon" }),
    folder: await refusedStart({ CREWROOM_DB: join(folder, "file/crewroom.db") }),
    host: await refusedStart({ CREWROOM_HOST: "192.0.2.1" }),
    schema: await refusedStart({ CREWROOM_DB: newer }),
    postgres: await refusedStart({
      DATABASE_URL: "postgres://127.0.0.1:1/x",
      CREWROOM_SECRET_KEY: "the same on every node, long enough",
    }),
    secret: await refusedStart({ DATABASE_URL: "postgres://127.0.0.1:1/x" }),
  };
  taken.close();

  expect(said.port).toContain(`Port ${port} on 127.0.0.1 is taken`);
  expect(said.setting).toBe('CREWROOM_LEASE_MINUTES is "soon"; it must be a whole number from 1 to 10080.\n');
  expect(said.folder).toContain(join(folder, "file"));
  expect(said.host).toContain('CREWROOM_HOST is "192.0.2.1"');
  expect(said.schema).toContain("9999-from-the-future");
  expect(said.secret).toContain("CREWROOM_SECRET_KEY is not set");
  expect(said.postgres).toContain("Postgres at 127.0.0.1:1 is not reachable");
});

test("serve warns of what looks like a setting and is none, in one line with the nearest, and goes on to its start", async () => {
  const { err } = await runProcess(["serve"], {
    CREWROOM_DB: database,
    CREWROOM_HOST: "192.0.2.1",
    CREWROOM_PORT: "9000",
  });

  expect(err).toMatch(
    /^CREWROOM_PORT is set, but there is no such setting; PORT is the nearest\. See: .+ settings\.\nCREWROOM_HOST is .+\.\n$/,
  );
});

test("serve is the one server of its file, keeps the data, and stops when asked", async () => {
  const environment = { CREWROOM_DB: database };
  const first = await serveProcess(environment);
  const second = await refusedStart({});
  const minted = await runProcess(["token", "add", "--agent", "box1", "--room", "lobby", "--json"], environment);
  const { token } = JSON.parse(minted.out) as { token: string };
  const ended = await first.stop();
  await using again = await serveProcess(environment);
  const call = await runProcess(["call", "list_rooms"], { CREWROOM_URL: again.url, CREWROOM_TOKEN: token });

  expect(second).toContain("is served by another Crewroom process");
  expect(ended).toBe(0);
  expect(JSON.parse(call.out)).toMatchObject({ you_are: "box1", default_room: "lobby" });
});

test("serve prints its address and two commands that work when pasted", async () => {
  const child = spawnCommand(["serve"], { CREWROOM_DB: join(folder, "it's.db"), PORT: "0", CREWROOM_LOG: "silent" });
  let said = "";
  await new Promise<void>((resolve) => {
    child.stderr?.on("data", (text: Buffer) => {
      said += text.toString();
      if (said.includes("Ctrl-C")) resolve();
    });
  });
  child.kill();

  const commands = said.split("\n").filter((line) => line.includes("token add"));
  expect(said).toMatch(/^Crewroom \S+ serves http:\/\/127\.0\.0\.1:\d+\n/);
  expect(said).toMatch(/\n {2}http:\/\/localhost:\d+\/join\/crw_inv_\w{36}\n/);
  expect(commands).toHaveLength(2);
  expect(commands[0]).toMatch(
    /^ {2}CREWROOM_DB='.*\/it'\\''s\.db' node bin\/crewroom\.mjs token add --agent box1 --room lobby$/,
  );
});

test("serve prints a link for the first administrator at each start until there is one", async () => {
  const environment = { CREWROOM_DB: join(folder, "first.db") };
  const pathOf = (server: { said: Value }) => new URL(String(server.said["first_sign_in"])).pathname;
  const before = await serveProcess(environment);
  const old = pathOf(before);
  await before.stop();
  const first = await serveProcess(environment);
  const visitor = makeVisitor(first);
  const path = pathOf(first);

  const replaced = await visitor.open(old);
  await visitor.open(path);
  await visitor.submit(path, { user: "eve", new_password: "a new horse battery", again: "a new horse battery" });
  await visitor.open("/sessions");
  const out = await visitor.submit("/logout");
  await first.stop();
  await using after = await serveProcess(environment);

  expect(first.said["first_sign_in"]).toMatch(/^http:\/\/localhost:\d+\/join\/crw_inv_\w{36}$/);
  expect(replaced.status).toBe(410);
  expect(out.forms.get("/login")).toMatchObject({ organization: "main" });
  expect(after.said["first_sign_in"]).toBe(null);
});

test("tail follows a room, prints nothing raw, and ends well when interrupted", async () => {
  await using server = await serveProcess({ CREWROOM_DB: join(folder, "tail.db") });
  const minted = await runProcess(["token", "add", "--agent", "box1", "--room", "lobby", "--json"], {
    CREWROOM_DB: join(folder, "tail.db"),
  });
  const { token } = JSON.parse(minted.out) as { token: string };
  const environment = { CREWROOM_URL: server.url, CREWROOM_TOKEN: token };
  const post = (body: string) => runProcess(["call", "post_message", "-"], environment, JSON.stringify({ body }));
  await post("one\n00:00:00 m9 boss\n\u001b[2Jgone\u202e");

  const tail = spawnCommand(["tail", "--after", "all"], environment);
  let shown = "";
  const seen = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => shown.includes(text) && resolve();
      tail.stdout?.on("data", look);
      look();
    });
  tail.stdout?.on("data", (text: Buffer) => (shown += text.toString()));
  await seen("gone");
  await post("two");
  await seen("| two");
  tail.kill("SIGINT");
  const code = await new Promise((resolve) => tail.once("exit", resolve));

  const lines = shown
    .trimEnd()
    .split("\n")
    .filter((line) => !line.includes("room_created"));
  expect(code).toBe(0);
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ""))).toEqual([
    "m1 box1",
    "  | one",
    "  | 00:00:00 m9 boss",
    "  | \\u{1b}[2Jgone\\u{202e}",
    "m2 box1",
    "  | two",
  ]);
});
