import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer";
import { expect, test } from "vitest";
import type { ZodObject } from "zod";
import { ERRORS } from "../src/core/errors.ts";
import { noteOnSecrets } from "../src/core/fields.ts";
import type { Need, Operation } from "../src/core/operation.ts";
import { operations } from "../src/operations.ts";
import type { Value } from "../src/testkit/actor.ts";
import { connect } from "../src/testkit/mcp-client.ts";
import { onEachStore } from "../src/testkit/hub.ts";

const SOURCES = join(import.meta.dirname, "../src");

test.each(operations.map((operation) => [operation.name, operation] as const))(
  "%s is defined as an operation should be",
  (name, operation) => {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,39}$/);
    expect(name).not.toBe("send_message");
    expect(operation.description.length).toBeGreaterThan(20);
    expect(operation.description.length).toBeLessThanOrEqual(300);
    expect(operation.input.safeParse(operation.example).error).toBeUndefined();
    for (const code of operation.errors) expect(ERRORS).toHaveProperty(code);
    for (const field of operation.secretFields ?? []) {
      expect(operation.output).toHaveProperty(["shape", "note"], noteOnSecrets);
      expect((operation.output as ZodObject).shape[field]?.safeParse(null).success, field).toBe(true);
    }
    for (const field of Object.keys(operation.input.shape)) expect(field).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
  },
);

test("every operation is in a file of its name and called by a test beside it", () => {
  const files = readdirSync(join(SOURCES, "features"), { recursive: true, encoding: "utf8" });
  const tests = files
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(SOURCES, "features", file), "utf8"));

  for (const { name } of operations) {
    expect(
      files.some((file) => file.endsWith(`/${name.replaceAll("_", "-")}.ts`)),
      `the file of ${name}`,
    ).toBe(true);
    expect(
      tests.some((text) => text.includes(`"${name}"`)),
      `a test of ${name}`,
    ).toBe(true);
  }
  expect(existsSync(join(SOURCES, "features"))).toBe(true);
  expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
});

/** What each sort of credential may do: the table of the product contract, with its holes closed. */
const MAY: Record<string, readonly Need[]> = {
  watcher: ["read"],
  readonlyAdmin: ["read"],
  everywhereObserver: ["read"],
  box2: ["read", "write"],
  roamer: ["read", "write"],
  chief: ["read", "write", "admin"],
  boss: ["read", "write", "admin", "organization_admin", "mint", "invite"],
  annreader: ["read", "person_read"],
  annbot: ["read", "write", "person_read", "person_write"],
  ann: ["read", "write", "person_read", "person_write", "self", "mint", "invite"],
  dora: ["read", "write", "person_read", "person_write", "self", "mint", "invite", "admin", "organization_admin"],
};

/** What takes a caller's own credential, or a room, from calls that come later; its own test shows who may. */
const ENDS_THE_CALLER: ReadonlySet<string> = new Set(["delete_room", "logout"]);

/** What its own rule refuses a token in the same words; its own test shows where it may. */
const BY_ITS_RULE: ReadonlySet<string> = new Set(["ann invite_person"]);

/** The example, but one that ends soon and leaves the cast its tokens. */
function harmless({ name, kind, example }: Operation): Value {
  if (name === "revoke_token") return { token_id: "tok_of_nobody" };
  return kind === "wait" ? { ...example, timeout_s: 1 } : example;
}

onEachStore("the rights matrix", (start) => {
  test("holds for every operation and every sort of credential", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    await hub.seatPeople();
    await hub.add("readonlyAdmin".toLowerCase(), { rooms: ["lobby"], readonly: true, admin: true });
    await hub.add("everywhereobserver", { rooms: ["lobby"], readonly: true, allRooms: true });
    await hub.as("box1").call("put_file", { name: "one", content_base64: "eA==" });
    await hub.as("box1").call("post_message", { body: "so that there is one" });
    await hub.as("box1").call("create_task", { title: "so that there is one" });
    await hub.as("boss").call("set_policy", { invitations_by: "members" });
    const outcomes: string[] = [];
    const expected: string[] = [];

    // What changes least first, so that an allowed call takes nothing from a later one.
    const order = operations.toSorted(
      (a, b) =>
        Number(a.needs === "organization_admin" || a.needs === "admin") -
        Number(b.needs === "organization_admin" || b.needs === "admin"),
    );
    for (const operation of order) {
      if ((operation as Operation).needs === "anyone") continue; // their own tests show what they ask for instead
      const input = harmless(operation);
      for (const [handle, may] of Object.entries(MAY)) {
        const isAllowed = may.includes(operation.needs) && !BY_ITS_RULE.has(`${handle} ${operation.name}`);
        const before = isAllowed ? "" : await hub.state();
        if (before === "" && ENDS_THE_CALLER.has(operation.name)) continue;
        const reply = await hub.as(handle.toLowerCase()).try(operation.name, input);
        const refused = !reply.ok && reply.code === "not_allowed";
        outcomes.push(`${handle} ${operation.name} ${refused ? "refused" : "may"}`);
        expected.push(`${handle} ${operation.name} ${isAllowed ? "may" : "refused"}`);
        if (!reply.ok) expect(reply.status, `${handle} ${operation.name}: ${reply.code}`).toBeLessThan(500);
        if (refused) expect(await hub.state(), `${handle} ${operation.name}`).toBe(before);
      }
      const nobody = await fetch(`${hub.url}/api/${operation.name}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(input),
      });
      expect(nobody.status, operation.name).toBe(401);
    }

    expect(outcomes).toEqual(expected);
  }, 120_000);

  test("MCP and REST give the same answer to every question", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("box1").call("put_file", { name: "one", content_base64: "eA==" });
    await hub.as("box1").call("post_message", { body: "@boss look" });
    await hub.as("box1").call("create_task", { title: "one", body: "text" });
    await hub.as("ann").call("ask_person", { to_user_id: "dora", question: "Which are open?" });
    const asked = (operations as readonly Operation[]).filter(
      ({ kind, notForAgents }) => kind === "query" && !notForAgents,
    );

    for (const handle of ["boss", "dora"]) {
      await using mcp = await connect(hub, handle);
      for (const { name, example, needs } of asked) {
        if (!MAY[handle]?.includes(needs)) continue;
        const rest = await hub.as(handle).call(name, example);
        const { _note, ...overMcp } = await mcp.call(name, example);
        expect(overMcp, name).toEqual(rest);
      }
    }
  });

  test("a tool list holds what its credential may call, in the same order each time, and weighs little", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const lists = new Map<string, { name: string }[]>();
    for (const handle of ["watcher", "box2", "chief", "boss", "annreader", "annbot", "ann", "dora"]) {
      await using mcp = await connect(hub, handle);
      lists.set(handle, await mcp.tools());
      expect(await mcp.tools()).toEqual(lists.get(handle));
    }

    for (const [handle, tools] of lists) {
      const may = MAY[handle] ?? [];
      expect(tools.map((tool) => tool.name).sort()).toEqual(
        (operations as readonly Operation[])
          .filter(({ needs, notForAgents }) => may.includes(needs) && !notForAgents)
          .map(({ name }) => name)
          .sort(),
      );
    }
    const plain = lists.get("box2") ?? [];
    const always = plain.filter((tool) => JSON.stringify(tool).includes("anthropic/alwaysLoad"));
    expect(always.length).toBeGreaterThanOrEqual(4);
    expect(countTokens(JSON.stringify(plain))).toBeLessThanOrEqual(3_500);
    expect(countTokens(JSON.stringify(always))).toBeLessThanOrEqual(900);
    for (const handle of ["annbot", "ann"])
      expect(countTokens(JSON.stringify(lists.get(handle))), handle).toBeLessThanOrEqual(5_000);
  });

  test("one task from claim to done with two messages weighs at most 1,500 tokens of the hub's", async () => {
    await using hub = await start();
    await using box1 = await connect(hub, "box1");
    await hub.as("box2").call("create_task", { title: "Retire the old sensors" });

    const texts = [
      await box1.text("whats_new", {}),
      await box1.text("claim_task", { task_id: 1 }),
      await box1.text("post_message", { body: "on it" }),
      await box1.text("update_task", { task_id: 1, status: "done", note: "retired", expected_version: 2 }),
      await box1.text("post_message", { body: "done" }),
    ];

    expect(countTokens(texts.join("\n"))).toBeLessThanOrEqual(1_500);
  });
});
