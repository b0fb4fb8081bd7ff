import { ulid } from "ulid";
import { z } from "zod";
import { hashToken, makeToken } from "../../access/tokens.ts";
import { writeSetup } from "../../agent/provision/write-setup.ts";
import { fail } from "../../core/errors.ts";
import { isoMoment, name, newHandle, noteOnSecrets, text, toIso } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Caller, type Context, defineOperation, type RoomRef } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { expiryOf } from "./expiry.ts";
import { listGrantable, ownerOf, refuseTooMany } from "./own-agents.ts";
import { ensureAgent, insertToken } from "./queries.ts";
import { setupText } from "./setup-text.ts";
import { roleNames, rolesOfToken } from "./token-answer.ts";

const hubAddress = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .max(LIMITS.roomUrl)
  .refine((url) => !/[?#]/.test(url), "must have no ? and no #");

export const createToken = defineOperation({
  name: "create_token",
  title: "Create a token",
  description:
    "Mints a token for an agent, new or known; a person's for its own agents. Its text is shown this once, with what to paste to connect the agent.",
  kind: "command",
  needs: "mint",
  input: z.object({
    agent: newHandle,
    owner: name.optional().describe("The person it belongs to and acts for; you, unless you administer"),
    room: name.describe("Its default room"),
    also_rooms: z.array(name).max(LIMITS.roomsPerOrganization).default([]),
    readonly: z.boolean().default(false),
    admin: z.boolean().default(false),
    all_rooms: z.boolean().default(false),
    label: text(LIMITS.label).default(""),
    expires: z.string().optional().describe("90d, 12h, 30m or an ISO time; never if left out"),
    expires_at: z.string().optional().describe("The same as an ISO time"),
    lan_url: hubAddress.optional().describe("The hub's address for the setup text, on its own network"),
    public_url: hubAddress.optional().describe("The same from anywhere"),
  }),
  output: z.object({
    note: noteOnSecrets,
    ok: z.literal(true),
    token: z.string().nullable().describe("Null when a call is repeated under its idempotency key"),
    shown_once: z.literal(true),
    id: z.string(),
    agent: z.string(),
    owner: z.string().nullable(),
    existing_member: z.boolean(),
    room: z.string(),
    rooms: z.array(z.string()),
    roles: roleNames,
    readonly: z.boolean(),
    admin: z.boolean(),
    all_rooms: z.boolean(),
    label: z.string(),
    expires_at: isoMoment.nullable(),
    setup: setupText.nullable(),
  }),
  errors: ["handle_taken", "room_not_granted", "person_not_found", "too_many"],
  secretFields: ["token", "setup"],
  example: { agent: "box9", room: "lobby", expires: "90d" },

  async run(context, input) {
    const { tx, caller, emit, settings } = context;
    const { agent, readonly, admin, all_rooms, label } = input;
    const owner = await ownerOf(context, input);
    const rooms = await findRooms(tx, caller, [input.room, ...input.also_rooms]);
    const expiresAt = expiryFrom(tx.now, input);
    const member = await ensureAgent(tx, caller.organization, agent, owner);
    if (!member) throw fail("handle_taken", { handle: agent });
    await refuseTooMany(context);

    const { token, id } = await mint(context, input, { rooms, expiresAt });

    const names = rooms.map((room) => room.name);
    const roles = rolesOfToken({
      readonly: Number(readonly),
      admin: Number(admin),
      all_rooms: Number(all_rooms),
    });
    if (member.made) emit({ kind: "member_added", detail: agent, concerns: [agent] });
    emit({ kind: "token_created", detail: `${agent} ${id}: ${roles.join(", ")}`, concerns: [agent] });
    return {
      ok: true as const,
      token,
      shown_once: true as const,
      id,
      agent,
      owner: member.owner,
      existing_member: !member.made,
      room: input.room,
      rooms: names,
      roles,
      readonly,
      admin,
      all_rooms,
      label,
      expires_at: toIso(expiresAt),
      setup: writeSetup(settings.addresses, {
        token,
        agent,
        rooms: names,
        organization: caller.organization,
        allRooms: all_rooms,
        readonly,
        admin,
        owner: member.owner,
        lanUrl: input.lan_url,
        publicUrl: input.public_url,
      }),
    };
  },
});

interface Asked {
  readonly agent: string;
  readonly readonly: boolean;
  readonly admin: boolean;
  readonly all_rooms: boolean;
  readonly label: string;
}

/** Makes the token and keeps its hash. */
async function mint(
  { tx, caller }: Context,
  { agent, readonly, admin, all_rooms, label }: Asked,
  { rooms, expiresAt }: { rooms: readonly RoomRef[]; expiresAt: number | null },
): Promise<{ token: string; id: string }> {
  const token = makeToken("agt");
  const id = ulid(tx.now).toLowerCase();
  await insertToken(tx, {
    organization: caller.organization,
    id,
    kind: "agt",
    member: agent,
    label,
    hash: hashToken(token),
    readonly,
    admin,
    allRooms: all_rooms,
    rooms: rooms.map((room) => room.id),
    createdBy: caller.handle,
    expiresAt,
  });
  return { token, id };
}

/** The rooms of these names in their order, each once. A room that does not exist is not made by the way. */
async function findRooms(tx: Tx, caller: Caller, names: readonly string[]): Promise<RoomRef[]> {
  const found = new Map((await listGrantable(tx, caller, names)).map((room) => [room.name, room]));
  return [...new Set(names)].map((named) => {
    const room = found.get(named);
    if (!room) throw fail("room_not_granted", { room: named, rooms: [...caller.rooms.keys()] });
    return room;
  });
}

function expiryFrom(
  now: number,
  { expires, expires_at }: { expires?: string | undefined; expires_at?: string | undefined },
): number | null {
  if (expires !== undefined && expires_at !== undefined)
    throw fail("bad_input", { field: "expires_at", problem: "goes not together with expires" });
  return expires_at === undefined ? expiryOf(now, "expires", expires) : expiryOf(now, "expires_at", expires_at);
}
