import { sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";
import { fail } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { Caller, Operation } from "./operation.ts";

/** A caller's name for one call, and the digest of what it asked. */
export interface KeyedRequest {
  readonly given: string;
  /** What it is kept under. */
  readonly key: string;
  readonly digest: string;
}
type Value = Record<string, unknown>;

const KEPT_MS = LIMITS.idempotencyHours * 3_600_000;

/**
 * The first answer to this key within 24 h, if there was one. Keys count per operation and member.
 *
 * @throws HubError `key_reused` when the key came with other input.
 */
export async function findAnswer(
  tx: Tx,
  caller: Caller,
  operation: string,
  request: KeyedRequest,
): Promise<Value | undefined> {
  const kept = await tx.one<{ request_hash: string; answer: string }>(sql`
    select request_hash, answer
    from idempotency
    where organization = ${caller.organization} and member = ${caller.handle}
      and operation = ${operation} and key = ${request.key} and at > ${tx.now - KEPT_MS}`);
  if (kept && kept.request_hash !== request.digest) throw fail("key_reused", { key: request.given });
  return kept && (JSON.parse(kept.answer) as Value); // written below
}

/** Keeps the answer, but for secrets, in the transaction of its effect, so that neither is there without the other. */
export async function keepAnswer(
  tx: Tx,
  caller: Caller,
  operation: Pick<Operation, "name" | "secretFields">,
  request: KeyedRequest,
  answer: Value,
): Promise<void> {
  const kept = JSON.stringify(withoutSecrets(operation, answer));
  await tx.run(sql`
    insert into idempotency (organization, member, operation, key, request_hash, answer, at)
    values (${caller.organization}, ${caller.handle}, ${operation.name}, ${request.key}, ${request.digest}, ${kept}, ${tx.now})
    on conflict (organization, member, operation, key)
    do update set request_hash = excluded.request_hash, answer = excluded.answer, at = excluded.at`);
}

/** A secret is shown once and kept nowhere in clear. Who asks again is told so, and what to do. */
function withoutSecrets({ name, secretFields = [] }: Pick<Operation, "name" | "secretFields">, answer: Value): Value {
  const shown = secretFields.filter((field) => answer[field] !== undefined && answer[field] !== null);
  if (shown.length === 0) return answer;
  const note = `If nobody kept it, end this one and call ${name} with another idempotency_key: ${shown.join(" and ")} came once, in the first answer to this key.`;
  return { note, ...answer, ...Object.fromEntries(shown.map((field) => [field, null])) };
}

/** The fields by which an answer tells whether it was done; see "Answers" in the contract. */
const VERDICTS = ["claimed", "updated", "released", "sent"];

/** Whether the rule's answer is no: that changes with the next moment, so it is not kept. */
export function saysNo(answer: Value): boolean {
  return VERDICTS.some((verdict) => answer[verdict] === false);
}

/** Drops what is past its 24 h. */
export async function forgetOldAnswers(tx: Tx, organization: string): Promise<void> {
  await tx.run(sql`delete from idempotency where organization = ${organization} and at <= ${tx.now - KEPT_MS}`);
}
