import type { Change } from "./build.ts";

/** A hub that is wrong in a known way, and what the check that must notice says. */
export interface Mutant {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly caughtBy: RegExp;
}

const NO_COUNTER_LOCK: Change = {
  file: "store/postgres.ts",
  find: "from logs where organization = ${pg.escapeLiteral(organization)} for update",
  replace: "from logs where organization = ${pg.escapeLiteral(organization)}",
};

/** Positions are taken from a sequence before the commit, so that one who reads meanwhile passes by a later commit. */
export const SEQUENCE_CURSOR: Mutant = {
  name: "positions from a sequence",
  caughtBy: /missed \d+ of/,
  changes: [
    NO_COUNTER_LOCK,
    {
      file: "store/migrations/0001-first-tables.ts",
      find: "postgres: [",
      replace: "postgres: [`create sequence mutant_positions increment by 1000`,",
    },
    {
      file: "core/event-log.ts",
      find: "update logs set position = position + ${mine.length} where organization = ${organization} returning position`",
      replace:
        // The wait after the number stands for a slow commit: without it a run on a quiet machine may see no late one.
        "with taken as materialized (select nextval('mutant_positions') + cast(${mine.length} as bigint) - 1 as position where cast(${organization} as text) is not null), waited as (select pg_sleep(case when random() < 0.15 then 0.3 else 0 end) from taken) select position from taken, waited`",
    },
    { file: "core/event-log.ts", find: "if (position > head.position) throw", replace: "if (position < 0) throw" },
  ],
};

/** A claim looks whether the task is free, and then takes it whatever happened in between. */
export const READ_THEN_WRITE_CLAIM: Mutant = {
  name: "claim reads, then writes",
  caughtBy: /\d+ winners/,
  changes: [
    NO_COUNTER_LOCK,
    {
      file: "features/board/claim-queries.ts",
      find: "export function takeTask(",
      replace: "export async function takeTask(",
    },
    {
      file: "features/board/claim-queries.ts",
      find: `return tx.one<TaskRow>(sql\`
        update tasks
        set \${held(tx, caller, settings)}
        where organization = \${caller.organization} and room = \${room} and number = \${task} \${asExpected}
          and \${claimable(tx, caller)} and \${READY}
        returning`,
      replace: `const free = await tx.one(sql\`
        select 1 as free from tasks
        where organization = \${caller.organization} and room = \${room} and number = \${task} \${asExpected}
          and \${claimable(tx, caller)} and \${READY}\`);
      if (!free) return undefined;
      return tx.one<TaskRow>(sql\`
        update tasks
        set \${held(tx, caller, settings)}
        where organization = \${caller.organization} and room = \${room} and number = \${task}
        returning`,
    },
  ],
};

/** The number of a claim that has ended is taken for good. */
export const NO_FENCE: Mutant = {
  name: "no fence",
  caughtBy: /a late write was accepted/,
  changes: [
    {
      file: "features/board/update-task.ts",
      find: "refuseStaleClaim(row, claim_number);",
      replace: "void [refuseStaleClaim, claim_number];",
    },
  ],
};

/** The answer to a key is kept after the commit of its effect. */
export const KEY_KEPT_LATER: Mutant = {
  name: "key kept outside the transaction",
  caughtBy: /is there \d+ times/,
  changes: [
    {
      file: "core/execute.ts",
      find: "if (request && events.length > 0 && !saysNo(value)) await keepAnswer(tx, caller, operation, request, value);",
      replace: "",
    },
    {
      file: "core/execute.ts",
      find: "if (events.length > 0) core.committed(caller.organization, events);",
      replace: `if (request && events.length > 0)
        await core.store.write(caller.organization, (tx) => keepAnswer(tx, caller, operation, request, answer.value));
      if (events.length > 0) core.committed(caller.organization, events);`,
    },
  ],
};

/** The reader's place moves although its answer was cut. */
export const CUT_COUNTS_AS_READ: Mutant = {
  name: "a cut answer counts as read",
  caughtBy: /lost the messages/,
  changes: [
    {
      file: "core/execute.ts",
      find: "writeDown(store, organization, tell(written))",
      replace: "writeDown(store, organization, tell(written || true))",
    },
  ],
};

/** A commit that returns before the disk has it. */
export const SYNCED_SELDOM: Mutant = {
  name: "synchronous=NORMAL",
  caughtBy: /calls of fsync/,
  changes: [{ file: "store/sqlite.ts", find: "pragma synchronous = full", replace: "pragma synchronous = normal" }],
};
