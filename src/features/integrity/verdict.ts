import type { Store } from "../../store/store.ts";
import { type Problem, verifyStore } from "./verify.ts";
import { type Looked, nothingLooked } from "./walk.ts";

/** Problems told at most; their number is told in any case. */
const MOST_TOLD = 200;

/** What was looked at, and what is wrong: the first problems, and how many there are. */
export interface Verdict {
  readonly looked: Looked;
  readonly problems: readonly Problem[];
  readonly problem_count: number;
}

/** Looks at a whole database. */
export async function verdictOn(store: Store): Promise<Verdict> {
  const looked = nothingLooked();
  const problems: Problem[] = [];
  let count = 0;
  for await (const problem of verifyStore(store, looked)) {
    count += 1;
    if (problems.length < MOST_TOLD) problems.push(problem);
  }
  return { looked, problems, problem_count: count };
}
