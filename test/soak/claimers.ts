import { call, type Target } from "./http.ts";

/** What a claimer was told. `task` when it won. */
export interface Claimed {
  readonly handle: string;
  readonly task?: number;
  readonly holder?: string;
}

export interface Claimer extends Target {
  readonly handle: string;
}

/** All claim one task at the same moment. */
export function claimAtOnce({ claimers, task }: { claimers: readonly Claimer[]; task: number }): Promise<Claimed[]> {
  return Promise.all(claimers.map((claimer) => claim(claimer, "claim_task", { task_id: task })));
}

/** All claim whatever is next at the same moment. */
export function claimNextAtOnce({ claimers }: { claimers: readonly Claimer[] }): Promise<Claimed[]> {
  return Promise.all(claimers.map((claimer) => claim(claimer, "claim_next", {})));
}

async function claim(claimer: Claimer, operation: string, input: object): Promise<Claimed> {
  const { handle } = claimer;
  const { claimed, task, holder } = await call(claimer, operation, input);
  return claimed ? { handle, task: task.id } : { handle, holder };
}
