import type { hashOfEvent } from "../../core/event-log.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** An event as it is stored, with what is left of the message it tells of. */
export interface StoredRow extends Readonly<Parameters<typeof hashOfEvent>[0]> {
  readonly hash: string;
  readonly pruned_at: number | null;
  readonly redacted_at: number | null;
  /** Of what the event tells: null when it is not there, or was not meant. */
  readonly room_there: number | null;
  /** Up to which position the room was pruned. */
  readonly pruned_to: number | null;
  readonly message_there: number | null;
  readonly file_there: number | null;
  readonly question_there: number | null;
}

/** Events after a position, in their order. */
export function listStored(tx: Tx, organization: string, after: number, limit: number): Promise<StoredRow[]> {
  return tx.all<StoredRow>(sql`
    select e.organization, e.position, e.room, e.at, e.kind, e.actor, e.task, e.message, e.file, e.question, e.detail, e.concerns,
      e.credential, e.address, e.content_hash, e.hash, e.pruned_at, e.redacted_at, r.id as room_there, r.pruned_to, m.number as message_there,
      f.number as file_there, q.number as question_there
    from events e
    left join rooms r on r.organization = e.organization and r.id = e.room
    left join messages m on e.kind = 'message' and m.organization = e.organization and m.room = e.room and m.number = e.message
    left join files f on e.kind = 'file_added' and f.organization = e.organization and f.room = e.room and f.number = e.file
    left join questions q on e.kind = 'question_asked' and q.organization = e.organization and q.number = e.question
    where e.organization = ${organization} and e.position > ${after}
    order by e.position
    limit ${limit}`);
}

/** Where a row of a room is. */
export interface RoomPlace {
  readonly room: number;
  readonly number: number;
}

/** A message with what the log tells of it; null where the log has no word. */
export interface ToldMessage extends RoomPlace {
  readonly author: string;
  readonly at: number;
  readonly body: string;
  readonly reply_to: number | null;
  readonly thread: number;
  readonly retracted_at: number | null;
  readonly retracted_by: string | null;
  readonly parent_thread: number | null;
  readonly root_there: number | null;
  readonly event_actor: string | null;
  readonly event_at: number | null;
  readonly event_hash: string | null;
  readonly redacted_at: number | null;
  readonly last_message: number;
}

/** Messages after one, by room and number. */
export function listTold(tx: Tx, organization: string, after: RoomPlace, limit: number): Promise<ToldMessage[]> {
  return tx.all<ToldMessage>(sql`
    select m.room, m.number, m.author, m.at, m.body, m.reply_to, m.thread, m.retracted_at, m.retracted_by,
      p.thread as parent_thread, o.number as root_there, e.actor as event_actor, e.at as event_at, e.content_hash as event_hash,
      e.redacted_at, r.last_message
    from messages m
    join rooms r on r.organization = m.organization and r.id = m.room
    left join messages p on p.organization = m.organization and p.room = m.room and p.number = m.reply_to
    left join messages o on o.organization = m.organization and o.room = m.room and o.number = m.thread
    left join events e on e.organization = m.organization and e.room = m.room and e.message = m.number and e.kind = 'message'
      and e.pruned_at is null
    where m.organization = ${organization} and (m.room, m.number) > (${after.room}, ${after.number})
    order by m.room, m.number
    limit ${limit}`);
}

/** Who told of something, when, and the digest of its text or bytes. */
export interface ToldFact {
  readonly actor: string;
  readonly at: number;
  readonly content_hash: string | null;
}

/** The same for what was told after a position. */
export function findToldAfter(
  tx: Tx,
  which: { organization: string; kind: string; room: number | null; number: number; after: number },
): Promise<ToldFact | undefined> {
  const { organization, kind, room, number, after } = which;
  const inRoom = room === null ? sql`room is null` : sql`room = ${room}`;
  return tx.one<ToldFact>(sql`
    select actor, at, content_hash
    from events
    where organization = ${organization} and position > ${after} and kind = ${kind} and ${inRoom}
      and coalesce(question, message, file) = ${number} and pruned_at is null`);
}

/** A question. */
export interface KeptQuestion {
  readonly number: number;
  readonly question: string;
  readonly state: string;
  readonly answer: string | null;
}

export function listQuestions(tx: Tx, organization: string, after: number, limit: number): Promise<KeptQuestion[]> {
  return tx.all<KeptQuestion>(sql`
    select number, question, state, answer
    from questions
    where organization = ${organization} and number > ${after}
    order by number
    limit ${limit}`);
}

/** A file. */
export interface KeptFile extends RoomPlace {
  readonly size: number;
  readonly sha256: string;
  readonly author: string;
  readonly at: number;
}

/** Files after one, by room and number, whether they expired or not: what is kept is checked. */
export function listKeptFiles(tx: Tx, organization: string, after: RoomPlace, limit: number): Promise<KeptFile[]> {
  return tx.all<KeptFile>(sql`
    select room, number, size, sha256, author, at
    from files
    where organization = ${organization} and (room, number) > (${after.room}, ${after.number})
    order by room, number
    limit ${limit}`);
}
