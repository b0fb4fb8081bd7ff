import { randomBytes } from "node:crypto";
import { ulid } from "ulid";
import { OPERATOR } from "../../access/operator.ts";
import { appendEvents } from "../../core/event-log.ts";
import type { NewEvent } from "../../core/events.ts";
import type { ForeignRow } from "../../store/foreign.ts";
import type { Tx } from "../../store/store.ts";
import { approvalHash } from "../approval/model.ts";
import { indexAnswer } from "../search/answer-queries.ts";
import { type BringingPeople, importPerson, isErased } from "./ctalk-people.ts";
import { momentIn, textOf, textOrNull } from "./fields.ts";
import { inOneCommit } from "./ledger.ts";
import { insertOldQuestion, type OldQuestion } from "./question-queries.ts";
import { count, note } from "./report.ts";

/** How long (ms) a question that waits can be answered from now on. */
const OPEN_MS = 7 * 86_400_000;

/** What people asked each other, in its order. An answer of there counts as `asserted`: an agent said that its person agreed. */
export async function importQuestions(bringing: BringingPeople): Promise<void> {
  const { store, foreign, ledger, report, old } = bringing;
  for await (const row of foreign.rows("org_messages", ["id"])) {
    if (textOf(row, "org_id") !== old) continue;
    if (ledger.find("question", textOf(row, "id"))) count(report, "question", "already");
    else if (await isOfErased(bringing, row)) count(report, "question", "skipped");
    else await inOneCommit(store, ledger, (tx) => importQuestion(tx, bringing, row));
  }
}

async function isOfErased(bringing: BringingPeople, row: ForeignRow): Promise<boolean> {
  for (const person of [textOf(row, "from_user_id"), textOf(row, "to_user_id")])
    if (!bringing.ledger.find("person", person) && (await isErased(bringing, person))) return true;
  return false;
}

async function importQuestion(tx: Tx, bringing: BringingPeople, row: ForeignRow) {
  const { ledger, report } = bringing;
  const { organization } = ledger.scope;
  const created_at = momentIn(row, "created_at") ?? tx.now;
  const question = await toOld(tx, bringing, row, created_at);
  const number = await insertOldQuestion(tx, question);
  const { asker, recipient, draft, answer } = question;
  const only = [asker, recipient];
  const told: NewEvent[] = [
    {
      kind: "question_asked",
      question: number,
      actor: asker,
      detail: question.question,
      content: question.question,
      only,
      at: created_at,
    },
  ];
  if (draft !== null)
    told.push({
      kind: "question_drafted",
      question: number,
      actor: recipient,
      content: draft,
      only: [recipient],
      at: answer?.answered_at ?? created_at,
    });
  if (answer) {
    const { text, answered_at: at } = answer;
    told.push({ kind: "question_answered", question: number, actor: recipient, detail: text, content: text, only, at });
    indexAnswer(tx, {
      organization,
      number,
      asker,
      recipient,
      question: question.question,
      answer: text,
      shared: "no",
    });
  }
  appendEvents(tx, organization, OPERATOR, told);
  const old = textOf(row, "id");
  await ledger.add(tx, "question", { old, room: null, new: String(number) }, () =>
    report.numbers.push({ organization, room: null, kind: "question", old, new: number }),
  );
}

async function toOld(tx: Tx, bringing: BringingPeople, row: ForeignRow, created_at: number): Promise<OldQuestion> {
  const { organization } = bringing.ledger.scope;
  const asker = await personFor(tx, bringing, textOf(row, "from_user_id"), created_at);
  const recipient = await personFor(tx, bringing, textOf(row, "to_user_id"), created_at);
  const question = textOf(row, "query_text");
  const final = row["final_response"] === null ? null : textOf(row, "final_response");
  const isAnswered = textOf(row, "status") === "answered" && final !== null;
  const expires_at = (isAnswered ? created_at : tx.now) + OPEN_MS;
  const draft = textOrNull(row, "draft_response");
  const facts = { organization, asker, recipient, question, draft, created_at, expires_at };
  if (!isAnswered) return { ...facts, answer: undefined };
  const nonce = randomBytes(16).toString("base64url");
  const binding = {
    organization,
    question,
    options: [],
    asker,
    recipient,
    text: final,
    sharing: "no",
    expires_at,
    nonce,
  } as const;
  const answered_at = momentIn(row, "answered_at") ?? created_at;
  const approval = ulid(answered_at).toLowerCase();
  const hashFor = (number: number) => approvalHash({ ...binding, number });
  return { ...facts, answer: { text: final, answered_at, approval, nonce, hashFor } };
}

/** Whom a question names and who is not there any more is here as somebody who is gone. */
async function personFor(tx: Tx, bringing: BringingPeople, old: string, created_at: number): Promise<string> {
  const known = bringing.ledger.find("person", old);
  if (known) return known.new;
  note(bringing.report, `${old} is named by questions and was not there: a person who is gone stands for it`);
  const nothing = { password_hash: null, ownership: "[]", notes: "", profile_notes: "" };
  return importPerson(tx, bringing, old, { ...nothing, name: old, role: "member", created_at, gone: true });
}
