import { z } from "zod";
import { cursorOf, readHead } from "../../core/event-log.ts";
import { fitPage, PAGES } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { findVerifiedBackup, type VerifiedBackup } from "../backup/queries.ts";
import { listVisibleRooms } from "../rooms/queries.ts";
import { roomInfo, toRoomInfo } from "../rooms/room-answer.ts";
import { countTokens, findTokens } from "../tokens/queries.ts";
import { tokenAnswer, toTokenAnswers } from "../tokens/token-answer.ts";
import { policy } from "./policy-answer.ts";
import { findPolicy } from "./policy-queries.ts";
import { findOrganization } from "./queries.ts";

const roomState = roomInfo.extend({ open_tasks: z.int(), messages: z.int(), files: z.int() });

export const instanceState = defineOperation({
  name: "instance_state",
  title: "State of this hub",
  description: "For administrators: rooms with counts, tokens, the log's head, and how this hub is set up.",
  kind: "query",
  needs: "organization_admin",
  input: z.object({}),
  output: z.object({
    you_are: z.string(),
    version: z.string(),
    url: z.string(),
    organization: z.object({ id: z.string(), name: z.string(), created_ts: isoMoment }),
    policy,
    log: z.object({ epoch: z.string(), head: z.int(), cursor: z.string() }),
    rooms: z.array(roomState),
    more_rooms: z.boolean(),
    tokens: z.array(tokenAnswer),
    more_tokens: z.boolean(),
    token_counts: z.object({ live: z.int(), expired: z.int(), revoked: z.int() }),
    server: z.record(z.string(), z.unknown()),
    verified_backup: z
      .object({ made_at: isoMoment, verified_at: isoMoment })
      .nullable()
      .describe("The newest backup of this hub that was read back and found whole"),
  }),
  errors: [],
  untrusted: ["rooms[].description", "rooms[].onboarding_notes", "rooms[].repo_url", "tokens[].label"],
  example: {},

  async run({ tx, caller, settings, answerBytes }) {
    const { organization } = caller;
    const row = await findOrganization(tx, organization);
    if (!row) throw new Error(`The caller's organization ${organization} is not there.`);
    const rooms = (await listVisibleRooms(tx, caller, "", PAGES.rooms.usual + 1)).map(toRoomState);
    const tokens = await findTokens(tx, { organization, liveOnly: false, limit: PAGES.tokens.usual + 1 });
    const head = await readHead(tx, organization);
    // Each list may fill two fifths, so that the whole stays a page.
    const roomPage = fitPage(rooms, PAGES.rooms.usual, answerBytes * 0.4);
    const tokenPage = fitPage(await toTokenAnswers(tx, organization, tokens), PAGES.tokens.usual, answerBytes * 0.4);
    return {
      you_are: caller.handle,
      version: settings.version,
      url: settings.url,
      organization: { id: row.id, name: row.name, created_ts: toIso(row.created_at) },
      policy: await findPolicy(tx, organization),
      log: { epoch: head.epoch, head: head.position, cursor: cursorOf(head, head.position) },
      rooms: [...roomPage.page],
      more_rooms: roomPage.hasMore,
      tokens: [...tokenPage.page],
      more_tokens: tokenPage.hasMore,
      token_counts: await countTokens(tx, organization),
      server: settings.posture,
      verified_backup: toVerified(await findVerifiedBackup(tx)),
    };
  },
});

function toRoomState(room: Awaited<ReturnType<typeof listVisibleRooms>>[number]): z.input<typeof roomState> {
  const { open_tasks, messages, files } = room;
  return { ...toRoomInfo(room), open_tasks, messages, files };
}

function toVerified(backup: VerifiedBackup | undefined) {
  return backup ? { made_at: toIso(backup.made_at), verified_at: toIso(backup.verified_at) } : null;
}
