import { randomBytes } from "node:crypto";
import { ulid } from "ulid";
import { z } from "zod";
import { problemOfTarget } from "../../access/outbound.ts";
import { hashToken, makeToken } from "../../access/tokens.ts";
import { fail } from "../../core/errors.ts";
import type { EventKind } from "../../core/events.ts";
import { name, newHandle, noteOnSecrets, text } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Context, defineOperation } from "../../core/operation.ts";
import { findRoomNamed } from "../rooms/queries.ts";
import { insertToken } from "../tokens/queries.ts";
import { hookAnswer, toHookAnswer } from "./hook-answer.ts";
import { countHooks, ensureWebhookMember, insertHook, listHooksOf } from "./queries.ts";

/** Those that a room's readers are told of: nothing else leaves by a hook, so nothing else can be asked for. */
const KINDS = [
  "message",
  "message_retracted",
  "task_created",
  "task_claimed",
  "task_updated",
  "task_released",
  "task_lease_ended",
  "note_added",
  "file_added",
  "file_deleted",
  "answer_shared",
  "room_info_updated",
  "room_renamed",
  "room_archived",
  "policy_changed",
  "retention_set",
  "wakes_paused",
] as const satisfies readonly EventKind[];
const SECRET_BYTES = 32;

export const createHook = defineOperation({
  name: "create_hook",
  title: "Create a webhook",
  description:
    "Out: sends what happens in a room, or in all, to an address, signed. In: gives an address where others post messages, open tasks or tell of merged pull requests. The secret is shown this once.",
  kind: "command",
  needs: "organization_admin",
  notForAgents: true,
  input: z.object({
    direction: z.enum(["out", "in"]),
    room: name.optional().describe("Every room if left out; one that comes in needs it"),
    url: z.string().max(LIMITS.hookUrl).optional().describe("Out: where to; https"),
    kinds: z.array(z.enum(KINDS)).max(KINDS.length).optional().describe("Out: these kinds of events; all if left out"),
    author: newHandle.optional().describe("In: the handle that it speaks as"),
    form: z.enum(["plain", "github"]).optional().describe("In: how what comes looks; plain unless said"),
    finish: z.boolean().optional().describe("In, github: a merged pull request finishes its tasks too"),
    label: text(LIMITS.label).default(""),
  }),
  output: z.object({
    note: noteOnSecrets,
    created: z.literal(true),
    hook: hookAnswer,
    secret: z.string().nullable().describe("Out: the signing key. In: the token, or GitHub's secret"),
  }),
  errors: ["room_not_granted", "handle_taken", "too_many"],
  untrusted: [],
  secretFields: ["secret"],
  example: { direction: "in", room: "lobby", author: "backups" },

  async run(context, input) {
    const { tx, caller, emit, settings } = context;
    const { organization } = caller;
    refuseOtherFields(input);
    const room = input.room === undefined ? undefined : await findRoomNamed(tx, organization, input.room);
    if (input.room !== undefined && !room)
      throw fail("room_not_granted", { room: input.room, rooms: [...caller.rooms.keys()] });
    if ((await countHooks(tx, organization)) >= LIMITS.hooksPerOrganization)
      throw fail("too_many", { what: "webhooks", most: LIMITS.hooksPerOrganization });

    const hook = { id: ulid(tx.now).toLowerCase(), room: room?.id ?? null, label: input.label };
    const secret = input.direction === "out" ? await openOut(context, input, hook) : await openIn(context, input, hook);
    const where = input.room ?? "every room";
    emit({ kind: "hook_created", detail: `${hook.id} ${input.direction}: ${where}` });
    const [row] = await listHooksOf(tx, organization, hook.id);
    if (!row) throw new Error(`Hook ${hook.id} is not there right after it was made.`);
    return { created: true as const, hook: toHookAnswer(row, settings.url), secret };
  },
});

interface Given {
  readonly direction: "out" | "in";
  readonly room?: string | undefined;
  readonly url?: string | undefined;
  readonly kinds?: readonly EventKind[] | undefined;
  readonly author?: string | undefined;
  readonly form?: "plain" | "github" | undefined;
  readonly finish?: boolean | undefined;
}

interface Begun {
  readonly id: string;
  readonly room: number | null;
  readonly label: string;
}

const FIELDS = {
  out: { needed: ["url"], not: ["author", "form", "finish"] },
  in: { needed: ["room", "author"], not: ["url", "kinds"] },
} as const;

function refuseOtherFields(input: Given) {
  const { needed, not } = FIELDS[input.direction];
  for (const field of needed)
    if (input[field] === undefined) throw fail("bad_input", { field, problem: `is required to go ${input.direction}` });
  for (const field of not)
    if (input[field] !== undefined)
      throw fail("bad_input", { field, problem: `goes not together with ${input.direction}` });
  if (input.finish && input.form !== "github")
    throw fail("bad_input", { field: "finish", problem: "goes together with the form github only" });
}

/** Gives the signing key. */
async function openOut(
  { tx, caller, settings }: Context,
  { url = "", kinds = [] }: Given,
  hook: Begun,
): Promise<string> {
  const problem = problemOfTarget(url, settings.outboundHosts);
  if (problem !== undefined) throw fail("bad_input", { field: "url", problem });
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  await insertHook(tx, {
    ...hook,
    organization: caller.organization,
    direction: "out",
    form: "standard",
    kinds: [...new Set(kinds)].join(" "),
    url,
    secret: settings.seal.close(secret, `hook/${hook.id}`),
    member: null,
    finishes: false,
    createdBy: caller.handle,
  });
  return secret;
}

/** Gives the token. GitHub signs with it instead of showing it, so there it is kept, sealed. */
async function openIn(
  { tx, caller, settings }: Context,
  { author = "", form = "plain", finish = false }: Given,
  hook: Begun,
): Promise<string> {
  const { organization, handle: createdBy } = caller;
  if (!(await ensureWebhookMember(tx, organization, author))) throw fail("handle_taken", { handle: author });
  const token = makeToken("hok");
  await insertToken(tx, {
    organization,
    id: hook.id,
    kind: "hok",
    member: author,
    label: hook.label,
    hash: hashToken(token),
    readonly: false,
    // What is merged is linked to tasks that others hold, which takes an admin of the room.
    admin: form === "github",
    allRooms: false,
    rooms: hook.room === null ? [] : [hook.room],
    createdBy,
    expiresAt: null,
  });
  await insertHook(tx, {
    ...hook,
    organization,
    direction: "in",
    form,
    kinds: "",
    url: "",
    secret: form === "github" ? settings.seal.close(token, `hook/${hook.id}`) : null,
    member: author,
    finishes: finish,
    createdBy,
  });
  return token;
}
