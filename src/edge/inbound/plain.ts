import { hash } from "node:crypto";
import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { type Core, execute } from "../../core/execute.ts";
import { parseInput } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Caller } from "../../core/operation.ts";
import type { JsonObject } from "../json-body.ts";
import type { InboundOperations } from "./operations.ts";

/** What comes in by a plain hook. Lengths and the rest are the operation's to judge. */
const delivery = z.strictObject({
  action: z.enum(["message", "task"]),
  title: z.string().optional(),
  body: z.string().optional(),
  id: z.string().min(1).max(LIMITS.idempotencyKey).optional(),
});

/** Does what it says, once for each `id` within a day. @throws HubError `bad_input` and those of the operation. */
export async function act(
  core: Core,
  { postMessage, createTask }: Pick<InboundOperations, "postMessage" | "createTask">,
  caller: Caller,
  sent: JsonObject,
): Promise<{ value: JsonObject; replayed: boolean }> {
  const { action, title, body, id } = parseInput(delivery, sent);
  // Any text names a delivery; a key is ASCII.
  const callId = id === undefined ? undefined : `delivery:${hash("sha256", id, "hex")}`;
  if (action === "message") {
    const text = [title, body].filter((part) => part !== undefined && part !== "").join("\n\n");
    const { value, replayed } = await execute(core, postMessage, { caller, callId, input: { body: text } });
    return { value: { ok: true, room: value["room"], message_id: value["message_id"] }, replayed };
  }
  if (title === undefined) throw fail("bad_input", { field: "title", problem: "is required for a task" });
  const input = { title, ...(body !== undefined && { body }) };
  const { value, replayed } = await execute(core, createTask, { caller, callId, input });
  // The operation's own answer has the task that was made.
  const created = value["created"] as { readonly id: number; readonly room: string };
  return { value: { ok: true, room: created.room, task_id: created.id }, replayed };
}
