import type { Telling } from "./answer-story.ts";
import { connectByBridge } from "./agents.ts";
import type { Answer } from "./hub.ts";
import type { Stage } from "./stage.ts";

/** Who races; names of one length, so that a recording looks the same whoever wins. */
export const RACERS = ["aspen", "birch", "maple"] as const;

/** In ms: longer than any lease. */
const FIVE_HOURS = 18_000_000;

type Racer = Awaited<ReturnType<typeof connectByBridge>>;
interface Claim {
  readonly racer: Racer;
  readonly said: Answer;
}

/** Three agents race for a task, and what becomes of it when the winner dies. Gives the names: the winner's first. */
export async function tellOfARace(stage: Stage, telling: Telling): Promise<readonly string[]> {
  telling.title("7. Three agents, each through a bridge of its own, claim one task at the same moment. One wins.");
  await using racers = new AsyncDisposableStack();
  const all: Racer[] = [];
  for (const name of RACERS) all.push(racers.use(await connectByBridge(name, await stage.seat(name))));
  const [first] = all;
  await first?.call("create_task", { title: "Find out why bed 3 reads zero" });
  const claims = await Promise.all(
    all.map(async (racer): Promise<Claim> => ({ racer, said: await racer.call("claim_task", { task_id: 1 }) })),
  );
  telling.line(`claim_task {"task_id":1}`, "all 3");
  const [winner, ...others] = claims.filter(({ said }) => said["claimed"]);
  const [next, last] = claims.filter(({ said }) => !said["claimed"]);
  if (!winner || !next || !last || others.length > 0) throw new Error("Of three claims of one task, one wins.");
  telling.line(`    #1 is mine (claim ${winner.said["claim_number"]})`, winner.racer.name);
  for (const { racer, said } of [next, last]) telling.line(`    claimed: false, ${said["reason"]}`, racer.name);
  await telling.watch(6);
  await outlive(stage, telling, winner, next);
  return [winner, next, last].map(({ racer }) => racer.name);
}

async function outlive(stage: Stage, telling: Telling, winner: Claim, next: Claim) {
  telling.title("8. The winner is killed. Its lease ends, the task returns, and what it writes late is refused.");
  winner.racer.kill();
  telling.line(`    process ${winner.racer.pid} ended by SIGKILL`, winner.racer.name);
  await stage.hub.ask({ later: FIVE_HOURS });
  telling.line("    the hub's clock is moved on by five hours", "hub");
  const { task } = await next.racer.call("get_task", { task_id: 1 });
  telling.line(`    #1 is ${task.status}, held by ${task.assignee ?? "nobody"}`, next.racer.name);
  await telling.watch(6);
  telling.line(`claim_task {"task_id":1}`, next.racer.name);
  const again = await next.racer.call("claim_task", { task_id: 1 });
  telling.line(`    #1 is mine (claim ${again["claim_number"]})`, next.racer.name);
  await writeLate(stage, telling, winner);
  await telling.watch(6);
}

/** The winner's token is still good: a second life of it knows the task only as it was. */
async function writeLate(stage: Stage, telling: Telling, { racer, said }: Claim) {
  await using revenant = await connectByBridge(racer.name, await stage.seat(racer.name));
  const late = { task_id: 1, status: "done", claim_number: said["claim_number"] as number }; // the operation's own answer
  telling.line(`update_task ${JSON.stringify(late)}`, racer.name);
  const refusal = await revenant.call("update_task", late).then(
    () => "it was taken",
    (error: Error) => error.message,
  );
  telling.line(`    ${refusal}`, racer.name);
}
