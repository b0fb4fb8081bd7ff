import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** A person as it was. Moments are ms since 1970, UTC. */
export interface OldPerson {
  readonly organization: string;
  readonly handle: string;
  readonly name: string;
  readonly role: "member" | "admin";
  readonly password_hash: string | null;
  readonly ownership: string;
  readonly notes: string;
  readonly profile_notes: string;
  readonly created_at: number;
  /** Whoever is only named by a question, and is not there any more. */
  readonly gone: boolean;
}

/** Passwords of there have all passed through tools, so they count as known to others. */
export async function insertOldPerson(tx: Tx, person: OldPerson): Promise<void> {
  const { organization, handle, password_hash, created_at } = person;
  await tx.run(sql`
    insert into members (organization, handle, kind, display_name, created_at, deactivated_at)
    values (${organization}, ${handle}, 'person', ${person.name}, ${created_at}, ${person.gone ? tx.now : null})`);
  await tx.run(sql`
    insert into persons
      (organization, handle, role, password_hash, password_set_at, exposed_at, ownership, notes, profile_notes)
    values (${organization}, ${handle}, ${person.role}, ${password_hash}, ${password_hash === null ? null : created_at},
      ${password_hash === null ? null : tx.now}, ${person.ownership}, ${person.notes}, ${person.profile_notes})`);
  await tx.run(sql`
    insert into person_rooms (organization, person, room)
    select organization, cast(${handle} as text), id
    from rooms
    where organization = ${organization} and name = 'lobby'`);
}

/** A question as it was. */
export interface OldQuestion {
  readonly organization: string;
  readonly asker: string;
  readonly recipient: string;
  readonly question: string;
  readonly draft: string | null;
  readonly created_at: number;
  /** Until when it can be answered, where it was not. */
  readonly expires_at: number;
  readonly answer: OldAnswer | undefined;
}

/** Nobody approved it but the agent that sent it: `asserted`. `hash` binds what was sent, as every approval does. */
export interface OldAnswer {
  readonly text: string;
  readonly answered_at: number;
  readonly approval: string;
  readonly nonce: string;
  readonly hashFor: (number: number) => string;
}

/** Writes a question under the organization's next number, with the draft that counts and the answer that was sent. */
export async function insertOldQuestion(tx: Tx, old: OldQuestion): Promise<number> {
  const { organization, asker, recipient, created_at, answer } = old;
  const log = await tx.one<{ last_question: number }>(sql`
    update logs
    set last_question = last_question + 1
    where organization = ${organization}
    returning last_question`);
  if (!log) throw new Error(`Organization ${organization} has no log.`);
  const number = log.last_question;
  const texts = [old.draft, answer?.text].filter((text): text is string => typeof text === "string");
  const drafts = [...new Set(texts)];
  const state = answer ? "answered" : drafts.length > 0 ? "drafted" : "pending";
  const told = answer ? await freeMoment(tx, organization, answer.answered_at) : null;
  await tx.run(sql`
    insert into questions
      (organization, number, asker, recipient, asked_by, question, state, thread, draft, last_draft, created_at, expires_at,
        closed_at, closed_by, answer, answered_at, told_at, approval)
    values (${organization}, ${number}, ${asker}, ${recipient}, ${asker}, ${old.question}, ${state}, ${number},
      ${drafts.length || null}, ${drafts.length}, ${created_at}, ${old.expires_at}, ${answer?.answered_at ?? null},
      ${answer ? recipient : null}, ${answer?.text ?? null}, ${told}, ${told}, ${answer?.approval ?? null})`);
  for (const [index, text] of drafts.entries()) {
    await tx.run(sql`
      insert into drafts (organization, question, revision, recipient, text, written_by, at)
      values (${organization}, ${number}, ${index + 1}, ${recipient}, ${text}, ${recipient},
        ${answer?.answered_at ?? created_at})`);
  }
  if (answer) await insertOldApproval(tx, old, answer, number, drafts.length);
  return number;
}

async function insertOldApproval(tx: Tx, old: OldQuestion, answer: OldAnswer, number: number, revision: number) {
  const { organization, recipient, expires_at } = old;
  const { approval, nonce, answered_at, hashFor } = answer;
  await tx.run(sql`
    insert into approvals
      (organization, id, question, revision, person, hash, nonce, state, requested_by, requested_at, expires_at, level,
        decided_at, decided_by)
    values (${organization}, ${approval}, ${number}, ${revision}, ${recipient}, ${hashFor(number)}, ${nonce}, 'approved', ${recipient},
      ${answered_at}, ${expires_at}, 'asserted', ${answered_at}, ${recipient})`);
}

/** No two answers of an organization are told at one moment. */
async function freeMoment(tx: Tx, organization: string, wanted: number): Promise<number> {
  for (let moment = wanted; ; moment++) {
    const taken = await tx.one(sql`
      select number from questions where organization = ${organization} and told_at = ${moment}`);
    if (!taken) return moment;
  }
}
