import { z } from "zod";
import { hashToken } from "../../access/tokens.ts";
import { fail } from "../../core/errors.ts";
import { visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { maskTokens, tokensIn } from "../../core/secrets.ts";
import { reachFields, reachOfMembers } from "../delivery/reach.ts";
import { attachToMessage } from "../files/attachment-queries.ts";
import { attachments, findAttachable } from "../files/attachments.ts";
import { listEveryoneInRoom, listMembersInRoom } from "../rooms/queries.ts";
import { mentionsIn } from "./mentions.ts";
import { findMessage, insertMentions, insertMessage, listTokenOwners } from "./queries.ts";

const mentionedMember = z.object({ handle: z.string(), ...reachFields });

export const postMessage = defineRoomOperation({
  name: "post_message",
  title: "Post a message",
  description:
    "Posts to the room's chat; @handle and @room reach members. Says for each one named which paths are live: no path means it reads later.",
  kind: "command",
  needs: "write",
  always: true,
  input: z.object({
    body: visibleText(LIMITS.messageBody, "as sent"),
    reply_to: z.int().min(1).optional().describe("Message id to answer in its thread"),
    attachments: attachments.optional().describe("File ids"),
  }),
  output: z.object({
    ok: z.literal(true),
    message_id: z.int(),
    room: z.string(),
    author: z.string(),
    mentioned: z.array(mentionedMember),
    _warning: z.string().optional(),
  }),
  errors: ["message_not_found", "file_not_found", "room_not_granted"],
  example: { body: "The poller is live; @box2 can retire the old sensors." },

  async run(context, { body: sent, reply_to, attachments: files }) {
    const { tx, caller, room, emit } = context;
    const body = maskTokens(sent.trim());
    const found = tokensIn(sent);
    const parent = reply_to ? await findMessage(tx, caller.organization, room.id, reply_to) : undefined;
    if (reply_to && !parent) throw fail("message_not_found", { message: reply_to, room: room.name });
    const attachable = await findAttachable(context, files);
    const named = await resolveMentions(context, body);
    const number = await insertMessage(tx, caller, room, { body, replyTo: parent?.number, thread: parent?.thread });
    if (!number) throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
    await insertMentions(tx, caller.organization, room.id, number, named);
    await attachToMessage(tx, { organization: caller.organization, room: room.id, number }, attachable);

    const owners = await listTokenOwners(tx, caller.organization, found.map(hashToken));
    const concerns = [...named, ...(parent && parent.author !== caller.handle ? [parent.author] : []), ...owners];
    emit({ kind: "message", room: room.id, message: number, detail: body, concerns, content: body });
    // By which paths each of them can be reached now, so that nobody takes silence for receipt.
    const reachOf = await reachOfMembers(tx, caller.organization, named);
    const mentioned = named.map((handle) => ({ handle, ...reachOf(handle) }));
    const answer = { ok: true, message_id: number, room: room.name, author: caller.handle, mentioned } as const;
    return found.length === 0 ? answer : { ...answer, _warning: MASKED };
  },
});

/** The members named who can read the room, the caller apart. */
async function resolveMentions({ tx, caller, room }: RoomContext, body: string): Promise<string[]> {
  const { handles, room: everyone } = mentionsIn(body);
  const most = LIMITS.mentionsPerMessage;
  if (handles.length > most) throw fail("bad_input", { field: "body", problem: `names more than ${most} members` });
  const named = everyone
    ? await listEveryoneInRoom(tx, caller.organization, room.id, LIMITS.concernsPerEvent)
    : await listMembersInRoom(tx, caller.organization, room.id, handles);
  return named.filter((handle) => handle !== caller.handle);
}

const MASKED = "A token in your message was masked. It may be known to others now: revoke it.";
