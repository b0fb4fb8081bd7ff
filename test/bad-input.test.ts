import { expect, test, vi } from "vitest";
import type { Value } from "../src/testkit/actor.ts";
import { runHere } from "../src/testkit/command.ts";
import { onEachStore } from "../src/testkit/hub.ts";
import { connect } from "../src/testkit/mcp-client.ts";

/** A call that must be refused: who, what, with which input, by which code. The room has task #1 (box1's), #2 and message m1. */
type Row = [what: string, handle: string, operation: string, input: Value, code: string];

const LONG = (count: number) => "x".repeat(count);
const half = "\ud800";

const ROWS: Row[] = [
  ["an unknown field", "box1", "post_message", { body: "x", colour: "red" }, "bad_input"],
  ["mass assignment of an author", "box1", "post_message", { body: "x", author: "boss" }, "bad_input"],
  ["mass assignment of an organization", "box1", "post_message", { body: "x", organization: "other" }, "bad_input"],
  ["mass assignment of a version", "box1", "update_task", { task_id: 1, version: 99 }, "bad_input"],
  ["a constructor key", "box1", "post_message", { body: "x", constructor: {} }, "not_json"],
  ["a number where text is expected", "box1", "post_message", { body: 5 }, "bad_input"],
  ["a missing field", "box1", "post_message", {}, "bad_input"],
  ["a boolean as an id", "box1", "get_task", { task_id: true }, "bad_input"],
  ["half a number as an id", "box1", "get_task", { task_id: 1.5 }, "bad_input"],
  ["a negative id", "box1", "get_task", { task_id: -1 }, "bad_input"],
  ["an id above 2^53", "box1", "get_task", { task_id: 2 ** 53 }, "bad_input"],
  ["an id of thirty digits", "box1", "get_task", { task_id: 1e30 }, "bad_input"],
  ["a negative limit", "box1", "list_tasks", { limit: -1 }, "bad_input"],
  ["a limit of 0", "box1", "list_tasks", { limit: 0 }, "bad_input"],
  ["an empty text", "box1", "create_task", { title: "" }, "bad_input"],
  ["only spaces", "box1", "create_task", { title: " \t\n" }, "bad_input"],
  ["only zero-width characters", "box1", "add_note", { task_id: 1, body: "\u200b\u200d\ufeff" }, "bad_input"],
  ["a title that is too long", "box1", "create_task", { title: LONG(301) }, "bad_input"],
  ["a body that is too long", "box1", "post_message", { body: LONG(16_385) }, "bad_input"],
  ["a NUL in a text", "box1", "post_message", { body: "a\0b" }, "bad_input"],
  ["half a surrogate pair", "box1", "post_message", { body: `a${half}b` }, "bad_input"],
  ["half a surrogate pair deep inside", "box1", "create_task", { title: "x", labels: [half] }, "bad_input"],
  ["a room that is no text", "box1", "post_message", { body: "x", room: 5 }, "bad_input"],
  ["a room that is not granted", "box2", "post_message", { body: "x", room: "ops" }, "room_not_granted"],
  ["a room with a bidi mark", "boss", "create_room", { name: "a\u202eb" }, "bad_input"],
  ["a room in capitals", "boss", "create_room", { name: "Ops2" }, "bad_input"],
  ["a reserved handle", "boss", "create_token", { agent: "crewroom", room: "lobby" }, "bad_input"],
  ["a handle that looks like another", "boss", "create_token", { agent: "b\u043ex1", room: "lobby" }, "bad_input"],
  ["a text as a role", "boss", "create_token", { agent: "box9", room: "lobby", admin: "false" }, "bad_input"],
  ["a text as a list", "boss", "create_token", { agent: "box9", room: "lobby", also_rooms: "ops" }, "bad_input"],
  ["an unknown status", "box1", "update_task", { task_id: 1, status: "Done" }, "bad_input"],
  ["a priority out of range", "box1", "create_task", { title: "x", priority: 5 }, "bad_input"],
  ["an unknown event kind", "box1", "read_events", { kind: "task_exploded" }, "bad_input"],
  ["a cursor that is none", "box1", "read_events", { since_id: "garbage" }, "unknown_cursor"],
  ["a cursor of another history", "box1", "read_events", { since_id: "otherepoch00.1" }, "epoch_changed"],
  ["a cursor ahead of the log", "box1", "read_events", { since_id: 999_999 }, "cursor_ahead"],
  ["an acknowledgement ahead of the log", "box1", "whats_new", { ack: "999999" }, "cursor_ahead"],
  ["an empty key", "box1", "post_message", { body: "x", idempotency_key: "" }, "bad_input"],
  ["a key that is too long", "box1", "post_message", { body: "x", idempotency_key: LONG(256) }, "bad_input"],
  ["a key with a space", "box1", "post_message", { body: "x", idempotency_key: "a b" }, "bad_input"],
  ["a reply to a message that is not there", "box1", "post_message", { body: "x", reply_to: 77 }, "message_not_found"],
  ["a task that is not there", "box1", "claim_task", { task_id: 77 }, "task_not_found"],
  ["a dependency that is not there", "box1", "create_task", { title: "x", depends_on: [77] }, "dependency_not_found"],
  ["a dependency on itself", "box1", "update_task", { task_id: 2, depends_on: [2] }, "bad_input"],
  [
    "too many dependencies",
    "box1",
    "create_task",
    { title: "x", depends_on: Array.from({ length: 10_000 }, (_, n) => n + 1) },
    "bad_input",
  ],
  ["a circle of dependencies", "box1", "update_task", { task_id: 1, depends_on: [2] }, "dependency_cycle"],
  ["a link that runs a script", "box1", "create_task", { title: "x", links: ["javascript:alert(1)"] }, "bad_input"],
  ["somebody else's held task", "box2", "update_task", { task_id: 1, title: "mine" }, "task_move"],
  ["done without holding", "box2", "update_task", { task_id: 1, status: "done" }, "task_move"],
  ["in_progress without claiming", "box2", "update_task", { task_id: 2, status: "in_progress" }, "task_move"],
  ["claiming before the dependency is done", "box2", "claim_task", { task_id: 2 }, "dependency_unfinished"],
  ["a reviewer who cannot see the room", "box1", "create_task", { title: "x", reviewer: "opsbox" }, "member_not_found"],
  ["a wait of no time", "box1", "wait_for_change", { timeout_s: 0 }, "bad_input"],
  ["base64 with spaces", "box1", "put_file", { name: "a", content_base64: "e A==" }, "bad_input"],
  ["base64 with a line break", "box1", "put_file", { name: "a", content_base64: "eA==\n" }, "bad_input"],
  ["base64 of the other alphabet", "box1", "put_file", { name: "a", content_base64: "-_-_" }, "bad_input"],
  ["base64 without its padding", "box1", "put_file", { name: "a", content_base64: "eA" }, "bad_input"],
  ["base64 with too much padding", "box1", "put_file", { name: "a", content_base64: "eA===" }, "bad_input"],
  ["base64 with bits left over", "box1", "put_file", { name: "a", content_base64: "eB==" }, "bad_input"],
  ["a data: address", "box1", "put_file", { name: "a", content_base64: "data:;base64,eA==" }, "bad_input"],
  ["an empty file", "box1", "put_file", { name: "a", content_base64: "" }, "bad_input"],
  ["a file without content", "box1", "put_file", { name: "a" }, "bad_input"],
  ["a path as a file's name", "box1", "put_file", { name: "../../x", content_base64: "eA==" }, "bad_input"],
  ["a drive as a file's name", "box1", "put_file", { name: "C:\\x", content_base64: "eA==" }, "bad_input"],
  ["a dot as a file's name", "box1", "put_file", { name: ".", content_base64: "eA==" }, "bad_input"],
  ["a file's name of 300", "box1", "put_file", { name: LONG(300), content_base64: "eA==" }, "bad_input"],
  ["a bell in a file's name", "box1", "put_file", { name: "a\u0007b", content_base64: "eA==" }, "bad_input"],
  ["a NUL in a file's name", "box1", "put_file", { name: "a\0b", content_base64: "eA==" }, "bad_input"],
  [
    "a type that ends a header",
    "box1",
    "put_file",
    { name: "a", content_base64: "eA==", mime: "a/b\r\nx: y" },
    "bad_input",
  ],
  [
    "a file that never was there",
    "box1",
    "put_file",
    { name: "a", content_base64: "eA==", expires_in_hours: 0 },
    "bad_input",
  ],
  ["a file that is not there", "box1", "get_file", { file_id: 77 }, "file_not_found"],
  ["a file's number in words", "box1", "get_file", { file_id: "one" }, "bad_input"],
  [
    "a file larger than any may be",
    "box1",
    "put_file",
    { name: "a", content_base64: "A".repeat(1_398_108) },
    "too_large",
  ],
];

onEachStore("bad input", (start) => {
  test("is refused by name over REST and MCP alike, and changes nothing", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box1").call("create_task", { title: "first", claim: true });
    await hub.as("box1").call("create_task", { title: "second", depends_on: [1] });
    const before = await hub.state();
    const clients = new Map<string, Awaited<ReturnType<typeof connect>>>();

    for (const [what, handle, operation, input, code] of ROWS) {
      const rest = await hub.as(handle).try(operation, input);
      expect(rest.ok ? `accepted ${JSON.stringify(rest.value)}` : rest.code, `REST: ${what}`).toBe(code);
      if (!rest.ok) expect(JSON.stringify(rest.error), what).not.toContain(LONG(200));
      if (what.includes("text as a")) continue; // MCP reads those: real clients send them
      const mcp = clients.get(handle) ?? (await connect(hub, handle, "legacy"));
      clients.set(handle, mcp);
      // What is no message at all is refused as one, which this client throws.
      const text = await mcp.text(operation, input).catch((error: Error) => error.message);
      // Half a surrogate cannot leave this client: it is replaced on the way out.
      if (!what.startsWith("half a surrogate")) expect(text, `MCP: ${what}`).toContain(`${code}: `);
    }

    for (const mcp of clients.values()) await mcp.client.close();
    const after = await hub.state();
    expect(after.replaceAll(/\ufffd/g, "")).toBe(before.replaceAll(/\ufffd/g, ""));
  });

  test("that lacks a field is told in the same words by REST, MCP and the command line", async () => {
    await using hub = await start();
    vi.stubEnv("CREWROOM_URL", hub.url);
    vi.stubEnv("CREWROOM_TOKEN", hub.token("box1"));
    using _ = { [Symbol.dispose]: () => vi.unstubAllEnvs() };
    await using modern = await connect(hub, "box1", "modern");
    await using legacy = await connect(hub, "box1", "legacy");

    const rest = await hub.as("box1").try("claim_task", {});
    const told = [
      rest.ok ? "accepted" : rest.message,
      await modern.text("claim_task", {}),
      await legacy.text("claim_task", {}),
      (await runHere(["call", "claim_task"])).err,
    ];

    for (const text of told) expect(text).toContain("task_id: is required.");
  });
});
