import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { isoMoment, toIso, visibleText } from "../../core/fields.ts";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { type Caller, defineOperation, type RoomRef } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { wordsOf } from "../../store/words.ts";
import { findersOfAnswers, findersOfRooms } from "./answer-queries.ts";
import { excerptOf } from "./excerpt.ts";
import { type Finder, findPlace, findTexts, type FoundText, type TextKind } from "./queries.ts";
import { readTexts, textName, type TextRow } from "./text-queries.ts";

/** What can be searched, as callers name it. */
const PLACES = { messages: "message", tasks: "task", notes: "note", files: "file", answers: "answer" } as const;
const PLACE_NAMES = Object.keys(PLACES);
const CURSOR = /^(message|task|note|file|answer)\.(\d{1,15})\.(\d{1,15}(?:\.\d{1,15})?)$/;

const hit = z.object({
  kind: z.enum(["message", "task", "note", "file", "answer"]),
  id: z.int().describe("The message's, task's or file's number; of the task for a note, of the question for an answer"),
  room: z.string().optional(),
  note_id: z.int().optional(),
  author: z.string(),
  ts: isoMoment,
  title: z.string().optional(),
  text: z.string(),
});

export const search = defineOperation({
  name: "search",
  title: "Search",
  description:
    "Finds messages, tasks, notes, file names and answers that have all the words, newest first, in your rooms.",
  kind: "query",
  needs: "read",
  input: z.object({
    query: visibleText(LIMITS.searchQuery),
    in: z
      .array(z.string().max(LIMITS.handle + 1))
      .max(LIMITS.searchPlaces)
      .optional()
      .describe(`${PLACE_NAMES.join(", ")}; or #room`),
    before: z.string().regex(CURSOR, "must be the next of an answer").optional(),
    limit: pageSize(PAGES.found),
  }),
  output: z.object({
    count: z.int(),
    hits: z.array(hit),
    has_more: z.boolean(),
    next: z.object({ before: z.string() }).nullable(),
  }),
  errors: ["room_not_granted"],
  untrusted: ["hits[].title", "hits[].text"],
  example: { query: "poller sensors", in: ["messages", "tasks"] },

  async run({ tx, caller, answerBytes }, { query, in: places = [], before, limit }) {
    const words = wordsOf(query, "asked").slice(0, LIMITS.searchWords);
    const { organization } = caller;
    const found = await findTexts(tx, {
      organization,
      ...scopeOf(caller, places),
      words,
      which: "all",
      before: before === undefined ? undefined : await placeOf(tx, caller, before),
      limit: limit + 1,
    });
    const rows = await readTexts(tx, caller, found.slice(0, limit));
    const rooms = new Map([...caller.rooms.values()].map(({ id, name }) => [id, name]));
    const hits = found.map((text) => {
      const row = rows.get(textName(text));
      return { text, hit: row && toHit(text.kind, row, rooms.get(row.room), words) };
    });
    const { page, hasMore } = fitPage(hits, limit, answerBytes);
    const last = page.at(-1);
    const shown = page.flatMap(({ hit }) => hit ?? []);
    return {
      count: shown.length,
      hits: shown,
      has_more: hasMore,
      next: hasMore && last ? { before: cursorOf(last.text) } : null,
    };
  },
});

/** A page goes on behind a text. Its place in the index would tell how much other organizations write. */
function cursorOf({ kind, room, id }: FoundText): string {
  return `${kind}.${room}.${id}`;
}

/** @throws HubError `bad_input` when that text is gone, or was never the caller's to see. */
async function placeOf(tx: Tx, caller: Caller, cursor: string): Promise<number> {
  const [, kind, room, id] = CURSOR.exec(cursor) ?? [];
  const text = { kind: kind as TextKind, room: Number(room), id: id ?? "", place: 0 }; // as the schema has checked
  const mayRead = (await readTexts(tx, caller, [text])).size > 0;
  const place = mayRead ? await findPlace(tx, { organization: caller.organization, ...text }) : undefined;
  if (place === undefined) throw fail("bad_input", { field: "before", problem: "is a text that is gone: search anew" });
  return place;
}

interface Scope {
  readonly kinds: readonly TextKind[];
  readonly finders: readonly Finder[];
}

/** Where to look, and as whom: kinds and rooms among `places` each narrow it, none of a sort means all of that sort. */
function scopeOf(caller: Caller, places: readonly string[]): Scope {
  const named = places.filter((place) => !place.startsWith("#"));
  const unknown = named.find((place) => !Object.hasOwn(PLACES, place));
  if (unknown !== undefined)
    throw fail("bad_input", { field: "in", problem: `may have ${PLACE_NAMES.join(", ")} and #room` });
  const rooms = places.filter((place) => place.startsWith("#")).map((place) => roomOf(caller, place.slice(1)));
  // Each is a key of the list: the others were refused.
  const wanted = (named.length === 0 ? PLACE_NAMES : named).map((place) => PLACES[place as keyof typeof PLACES]);
  // Answers are for those who act for a person, as in search_answers.
  const kinds = caller.roles.has("person_read") ? wanted : wanted.filter((kind) => kind !== "answer");
  if (rooms.length > 0) return { kinds, finders: rooms.map(({ id }): Finder => `#${id}`) };
  return { kinds, finders: kinds.includes("answer") ? findersOfAnswers(caller) : findersOfRooms(caller) };
}

function roomOf({ rooms }: Caller, name: string): RoomRef {
  const room = rooms.get(name);
  if (!room) throw fail("room_not_granted", { room: name, rooms: [...rooms.keys()] });
  return room;
}

function toHit(
  kind: FoundText["kind"],
  { number, note, author, at, title, body }: TextRow,
  room: string | undefined,
  words: readonly string[],
): z.input<typeof hit> {
  return {
    kind,
    id: number,
    ...(room !== undefined && { room }),
    ...(note !== null && { note_id: note }),
    author,
    ts: toIso(at),
    ...(title !== "" && { title: excerptOf(title, words, LIMITS.excerpt) }),
    text: excerptOf(body, words, LIMITS.excerpt),
  };
}
