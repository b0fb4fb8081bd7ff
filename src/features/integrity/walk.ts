import type { Store } from "../../store/store.ts";
import type { RoomPlace } from "./queries.ts";
import type { Told } from "./told.ts";

/** How much was looked at. */
export interface Looked {
  organizations: number;
  events: number;
  messages: number;
  questions: number;
  answers: number;
  files: number;
}

export function nothingLooked(): Looked {
  return { organizations: 0, events: 0, messages: 0, questions: 0, answers: 0, files: 0 };
}

/** What each check is given: a database and an organization in it, what the log tells, and how much was looked at. */
export interface Walk {
  readonly store: Store;
  readonly organization: string;
  readonly looked: Looked;
  readonly told: Told;
}

/** What a check finds: what it is about (`event 42`, `m340 of room 3`, `q5`), and what is wrong. */
export type Findings = AsyncGenerator<readonly [what: string, problem: string]>;

/** Rows read in one moment. */
export const PAGE = 500;
/** Before every row, those that cannot be included. */
export const FROM_THE_FIRST: RoomPlace = { room: Number.MIN_SAFE_INTEGER, number: Number.MIN_SAFE_INTEGER };
