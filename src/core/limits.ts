import { z } from "zod";
import { writtenBytes } from "./frame.ts";

/** Every bound of the hub in one place, with its unit. Text is counted in Unicode code points unless a name says bytes. */
export const LIMITS = {
  handle: 64,
  label: 100,
  tokenDays: 3_650,
  roomDescription: 2_000,
  roomUrl: 500,
  roomNotes: 4_000,
  roomsPerOrganization: 1_000,
  retentionDays: 36_500,
  messageBody: 16_384,
  mentionsPerMessage: 100,
  taskTitle: 300,
  taskBody: 16_384,
  noteBody: 16_384,
  reason: 1_000,
  dependenciesPerTask: 100,
  /** Tasks that one task may need, directly or not: so many are looked at for a circle. */
  dependenciesInAll: 1_000,
  labelsPerTask: 20,
  taskLabel: 50,
  linksPerTask: 20,
  linkUrl: 500,
  attachments: 20,
  fileName: 255,
  /** A file's content up to so many bytes comes with its description. */
  fileInlineBytes: 16_384,
  fileHours: 87_600,
  filesPerOrganization: 10_000,
  /** How long a reader of a file, or the sender of one, may stand still. */
  fileStallSeconds: 15,
  hooksPerOrganization: 100,
  noticesPerPerson: 10,
  hookUrl: 1_000,
  searchQuery: 1_000,
  searchWords: 50,
  searchPlaces: 50,
  excerpt: 240,
  peoplePerOrganization: 10_000,
  personName: 100,
  ownershipItems: 100,
  ownershipItem: 200,
  personNotes: 4_000,
  invitationDays: 30,
  passwordLinkHours: 24,
  openInvitations: 100,
  agentsPerPerson: 50,
  tokensPerPerson: 200,
  /** How long a sign-in lasts, and how many of a person's; the oldest ends for a newer one. */
  passwordLeast: 8,
  adminPasswordLeast: 12,
  passwordBytes: 1_024,
  passkeysPerPerson: 20,
  sessionDays: 30,
  sessionsPerPerson: 100,
  questionText: 16_384,
  questionOptions: 10,
  questionOption: 200,
  answerText: 16_384,
  questionDays: 7,
  questionMostDays: 90,
  /** Questions of one asker that may wait for the same person, and drafts of one member that may wait for approval. */
  openQuestionsPerPair: 20,
  openApprovalsPerMember: 20,
  idempotencyKey: 255,
  idempotencyHours: 24,
  eventDetail: 120,
  concernsPerEvent: 200,
  session: 128,
  requestBytes: 4 * 1024 * 1024,
  /** The same before anybody has shown who they are: it is held for whoever comes. */
  strangersBytes: 128 * 1024,
  requestDepth: 100,
  /** Messages that one request to /mcp may hold as a list. */
  requestMessages: 100,
  /** Where a page ends. One item alone may be longer. */
  mcpAnswerBytes: 24_000,
  /**
   * Where an answer on MCP ends whatever is in it, counted as `String.length`: clients put longer ones away from the model.
   * A text of the longest kind is whole in it while its characters show, whatever their script: two of these each at most.
   */
  mcpAnswerLength: 48_000,
  /** Where a page ends. One item alone is whole: 16,384 control characters are 98 KB of JSON. */
  restAnswerBytes: 64_000,
  streamsPerToken: 100,
  streamBufferBytes: 256 * 1024,
  streamStallSeconds: 30,
  streamKeepaliveSeconds: 15,
} as const;

/** How many a page holds: unless asked, and at most. More than the most is cut down to it; zero and less is refused. */
export const PAGES = {
  tasks: { usual: 50, most: 200 },
  messages: { usual: 50, most: 200 },
  events: { usual: 100, most: 500 },
  news: { usual: 50, most: 200 },
  agents: { usual: 100, most: 500 },
  rooms: { usual: 100, most: 500 },
  tokens: { usual: 100, most: 500 },
  people: { usual: 100, most: 500 },
  interactions: { usual: 50, most: 50 },
  sessions: { usual: 50, most: 200 },
  answers: { usual: 20, most: 100 },
  found: { usual: 20, most: 100 },
  audit: { usual: 100, most: 500 },
  notes: { usual: 100, most: 200 },
  files: { usual: 100, most: 500 },
  questions: { usual: 20, most: 100 },
} as const;

/** How many a page holds: `usual` unless asked, at most `most`; more is cut down to it. */
export function pageSize({ usual, most }: { usual: number; most: number }) {
  return z
    .int()
    .min(1)
    .default(usual)
    .transform((asked) => Math.min(asked, most));
}

/** Room for what an answer has besides its items: names, counts, cursors, the note of a frame. */
const ENVELOPE_BYTES = 600;

/**
 * As many items from the front as fit into an answer of `bytes`, and `least` whatever they weigh: one, so that a page is
 * never an empty stop. They are counted as a model gets them, which is never less than REST writes.
 *
 * @param items  one more than the page asked for, when there are more: then the last is cut off and `hasMore` is true.
 */
export function fitPage<Item>(
  items: readonly Item[],
  size: number,
  bytes: number,
  least = 1,
): { page: readonly Item[]; hasMore: boolean } {
  let left = bytes - ENVELOPE_BYTES;
  let count = 0;
  for (const item of items.slice(0, size)) {
    left -= writtenBytes(item) + 1;
    if (left < 0 && count >= least) break;
    count += 1;
  }
  return { page: items.slice(0, count), hasMore: count < items.length };
}
