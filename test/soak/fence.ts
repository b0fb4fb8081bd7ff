import type { Arena } from "./arena.ts";
import { call, post, type PostOptions } from "./http.ts";

/** Longer than any lease, in ms. */
const PAST_ANY_LEASE = 24 * 3_600_000;

/** What one who once held a task tries after it woke up. `claim`: with the number of its claim, where the operation takes it. */
const LATE_WRITES = [
  { name: "finish", operation: "update_task", input: { status: "done" }, claim: true },
  { name: "block", operation: "update_task", input: { status: "blocked" }, claim: true },
  { name: "edit", operation: "update_task", input: { body: "by the one whose lease has ended" }, claim: true },
  { name: "finish without its number", operation: "update_task", input: { status: "done" }, claim: false },
  { name: "release", operation: "release_task", input: { reason: "late" }, claim: false },
] as const;

interface Claimant {
  readonly handle: string;
  readonly options: PostOptions;
}
type LateWrite = (typeof LATE_WRITES)[number];

const SLEEPER: Claimant = { handle: "sleeper", options: { session: "before" } };

/**
 * A holder sleeps past the end of its lease, another claims the task, the first wakes up and writes: nothing of that may have
 * an effect. The other may be the same member in another session: then only the number of the claim tells them apart.
 */
export async function noLateWrites(arena: Arena): Promise<string[]> {
  await arena.seat(["maker", "sleeper", "second"]);
  const problems: string[] = [];
  for (const write of LATE_WRITES) {
    problems.push(...(await tryLate(arena, write, { handle: "second", options: {} })));
    if (write.claim)
      problems.push(...(await tryLate(arena, write, { handle: "sleeper", options: { session: "after" } })));
  }
  return problems;
}

async function tryLate(arena: Arena, write: LateWrite, second: Claimant): Promise<string[]> {
  const name = `${write.name} (${second.handle})`;
  const at = ({ handle }: Claimant, node: number) => arena.target(handle, node);
  const { created } = await call(arena.target("maker"), "create_task", { title: name });
  const first = await call(at(SLEEPER, 0), "claim_task", { task_id: created.id }, SLEEPER.options);
  await Promise.all(arena.nodes.map((node) => node.ask("later", PAST_ANY_LEASE)));
  const next = await call(at(second, 1), "claim_task", { task_id: created.id }, second.options);
  if (!next.claimed) return [`${name}: the task was not free after its lease had ended`];

  const input = { task_id: created.id, ...write.input, ...(write.claim && { claim_number: first.claim_number }) };
  const reply = await post(at(SLEEPER, 0), write.operation, input, SLEEPER.options);
  const { task } = await call(at(second, 1), "get_task", { task_id: created.id }, second.options);
  const changed = ["status", "assignee", "body", "version"].filter((field) => task[field] !== next.task[field]);
  if (![200, 409].includes(reply.status)) return [`${name}: ${reply.status} ${JSON.stringify(reply.body)}`];
  const accepted = reply.status === 200 && (reply.body.updated || reply.body.released);
  return accepted || changed.length > 0 ? [`${name}: a late write was accepted; changed: ${changed.join(", ")}`] : [];
}
