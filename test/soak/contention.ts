import { type Arena, startClients } from "./arena.ts";
import type { Claimed, Claimer } from "./claimers.ts";
import { call } from "./http.ts";
import type { Worker } from "./rpc.ts";

const CLAIMERS = 64;
const PROCESSES = 8;

/**
 * In each round 64 claimers in 8 processes claim one new task at the same moment, at all nodes.
 *
 * @returns what was wrong: not one winner, or losers who were told of another holder.
 */
export async function oneWinner(arena: Arena, rounds: number): Promise<string[]> {
  return withClaimers(arena, async (ask) => {
    const problems: string[] = [];
    for (let round = 1; round <= rounds && problems.length < 5; round++) {
      const { created } = await call(arena.target("maker", round), "create_task", { title: `round ${round}` });
      problems.push(...judgeOne(round, await ask("claimAtOnce", { task: created.id })));
    }
    return problems;
  });
}

function judgeOne(round: number, told: readonly Claimed[]): string[] {
  const [winner, ...others] = told.filter(({ task }) => task !== undefined);
  if (!winner || others.length > 0) return [`round ${round}: ${others.length + (winner ? 1 : 0)} winners`];
  const wrong = told.filter(({ handle, holder }) => handle !== winner.handle && holder !== winner.handle);
  return wrong.map(
    ({ handle, holder }) => `round ${round}: ${winner.handle} won, and ${handle} was told that ${holder} holds it`,
  );
}

/** In each round there are fewer tasks than claimers; each task goes to one, and the rest are told that there is none. */
export async function everyTaskOnce(arena: Arena, rounds: number): Promise<string[]> {
  return withClaimers(arena, async (ask) => {
    const problems: string[] = [];
    for (let round = 1; round <= rounds && problems.length < 5; round++) {
      const tasks = arena.random.int(1, 24);
      const titles = Array.from({ length: tasks }, (_, index) => `round ${round}.${index}`);
      await Promise.all(titles.map((title, index) => call(arena.target("maker", index), "create_task", { title })));
      const won = (await ask("claimNextAtOnce", {})).flatMap(({ task }) => task ?? []);
      if (new Set(won).size !== won.length) problems.push(`round ${round}: a task went to two`);
      if (won.length !== tasks)
        problems.push(`round ${round}: ${won.length} of ${tasks} tasks were claimed by ${CLAIMERS} claimers`);
    }
    return problems;
  });
}

type AskAll = (what: string, input: object) => Promise<Claimed[]>;

async function withClaimers(arena: Arena, work: (ask: AskAll) => Promise<string[]>): Promise<string[]> {
  const handles = Array.from({ length: CLAIMERS }, (_, index) => `claimer${index}`);
  await arena.seat(["maker", ...handles]);
  const clients = startClients(PROCESSES);
  const groups = clients.all.map((client, index) => ({ client, claimers: claimersOf(arena, handles, index) }));
  try {
    return await work(async (what, input) =>
      (await Promise.all(groups.map((group) => askGroup(group, what, input)))).flat(),
    );
  } finally {
    clients.stop();
  }
}

function claimersOf(arena: Arena, handles: readonly string[], process: number): Claimer[] {
  return handles
    .filter((_, index) => index % PROCESSES === process)
    .map((handle, index) => ({ handle, ...arena.target(handle, index) }));
}

function askGroup({ client, claimers }: { client: Worker; claimers: readonly Claimer[] }, what: string, input: object) {
  return client.ask<Claimed[]>(what, { ...input, claimers });
}
