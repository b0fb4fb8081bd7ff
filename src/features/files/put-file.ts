import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { decodeBase64, digest, insertParts, refuseTokens, tooLarge } from "./content.ts";
import { expiresInHours, fileName, mime } from "./file-fields.ts";
import { dropExpired, insertFile, sumFiles, takeNumber } from "./queries.ts";

export const putFile = defineRoomOperation({
  name: "put_file",
  title: "Put a file",
  description:
    "Stores a file in the room, from text or base64. That fills your context: above some 15 KB send the bytes by curl to POST /v1/files?name=… with your token.",
  kind: "command",
  needs: "write",
  input: z.object({
    name: fileName,
    content_base64: z.string().optional(),
    text: z.string().optional().describe("Instead of content_base64"),
    mime: mime.optional(),
    expires_in_hours: expiresInHours,
  }),
  output: z.object({
    ok: z.literal(true),
    file_id: z.int(),
    name: z.string(),
    sha256: z.string(),
    size: z.int(),
    room: z.string(),
    expires_at: isoMoment.nullable(),
  }),
  errors: ["too_large", "file_quota", "too_many", "room_not_granted"],
  example: { name: "poller.log", text: "one line\n" },

  async run(context, { name, content_base64, text, mime, expires_in_hours }) {
    const { tx, caller, room, settings, emit } = context;
    const bytes = context.content ?? contentOf(content_base64, text, settings.maxFileBytes);
    if (bytes.length === 0) throw fail("bad_input", { field: "", problem: "has an empty file" });
    if (bytes.length > settings.maxFileBytes) throw tooLarge(settings.maxFileBytes);
    refuseTokens(bytes);

    const number = await numberFor(context, bytes.length);
    const { sha256, parts } = digest(bytes);
    const expires_at = expires_in_hours === undefined ? null : tx.now + Math.ceil(expires_in_hours * 3_600_000);
    await insertFile(tx, caller, room.id, number, {
      name,
      mime: mime ?? (text === undefined ? "application/octet-stream" : "text/plain"),
      size: bytes.length,
      sha256,
      expires_at,
    });
    await insertParts(tx, { organization: caller.organization, room: room.id, file: number }, parts);
    const expiry = expires_at === null ? "" : ` expires ${toIso(expires_at)}`;
    const detail = `${name} (${bytes.length} B)${expiry}`;
    emit({ kind: "file_added", room: room.id, file: number, detail, contentHash: sha256 });
    const told = { name, sha256, size: bytes.length, room: room.name, expires_at: toIso(expires_at) };
    return { ok: true as const, file_id: number, ...told };
  },
});

function contentOf(base64: string | undefined, text: string | undefined, most: number): Uint8Array {
  if ((base64 === undefined) === (text === undefined))
    throw fail("bad_input", { field: "content_base64", problem: "or text: exactly one is needed" });
  return base64 === undefined ? Buffer.from(text ?? "") : decodeBase64("content_base64", base64, most);
}

/** So many expired files are freed for a new one at most, so that nobody waits long. */
const FREED_AT_ONCE = 20;

async function numberFor({ tx, caller, room, settings }: RoomContext, size: number): Promise<number> {
  const { organization } = caller;
  const take = () => takeNumber(tx, organization, room.id, size, settings.fileQuotaBytes);
  // What has expired no longer stands in anybody's way, even if nothing has swept it yet.
  const number =
    (await take()) ?? ((await dropExpired(tx, organization, FREED_AT_ONCE)) > 0 ? await take() : undefined);
  if (number !== undefined) return number;
  const { bytes: used, files } = await sumFiles(tx, organization);
  if (files >= LIMITS.filesPerOrganization)
    throw fail("too_many", { what: "files in an organization", most: LIMITS.filesPerOrganization });
  if (used + size > settings.fileQuotaBytes) throw fail("file_quota", { used, size, most: settings.fileQuotaBytes });
  throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
}
