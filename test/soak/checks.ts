import { type Arena, type ArenaOptions, type Kind, openArena, type PostgresServer } from "./arena.ts";
import { everyTaskOnce, oneWinner } from "./contention.ts";
import { nothingLost, oneEffectPerKey } from "./crash.ts";
import { sameForAll } from "./cursor.ts";
import { cutNewsComeAgain } from "./cut-answers.ts";
import { noLateWrites } from "./fence.ts";
import { cutLines, killedReaders } from "./killed-readers.ts";
import { migrationIsWhole } from "./migration.ts";
import { oneNodeLess, othersAreHeard } from "./nodes.ts";
import { mute } from "./proxies.ts";
import {
  CUT_COUNTS_AS_READ,
  KEY_KEPT_LATER,
  type Mutant,
  NO_FENCE,
  READ_THEN_WRITE_CLAIM,
  SEQUENCE_CURSOR,
  SYNCED_SELDOM,
} from "./mutants.ts";
import { everyCommitIsSynced } from "./synced.ts";

type Problems = Promise<readonly string[]>;

/** Which hubs a check needs. */
export interface Ground {
  readonly kind: Kind;
  readonly nodes?: number;
  readonly settings?: NonNullable<ArenaOptions["settings"]>;
}

/** Something that is to hold: it gives what was wrong. With a mutant, the check is that something is. `alone`: it starts its own hubs. */
export type Check = Readonly<{ name: string; mutant?: Mutant }> &
  (
    | Readonly<{ on: Ground; run: (arena: Arena) => Problems }>
    | Readonly<{ on?: undefined; alone: (options: Omit<ArenaOptions, "kind">) => Problems }>
  );

interface Run {
  readonly kinds: readonly Kind[];
  readonly postgres: PostgresServer | undefined;
  readonly long: boolean;
  readonly canTrace: boolean;
}

/** How much of each: [short, long]. */
const AMOUNTS = {
  claims: [500, 2_000],
  nextClaims: [30, 200],
  seconds: [8, 60],
  kills: [20, 100],
  cuts: [10, 50],
  twins: [50, 500],
  commits: [200, 1_000],
  sends: [500, 2_000],
  watchers: [12, 60],
  watcherCuts: [50, 100],
  wakes: [10, 50],
} as const;

export function checksFor(run: Run): readonly Check[] {
  const some = (what: keyof typeof AMOUNTS) => AMOUNTS[what][run.long ? 1 : 0];
  return [
    ...run.kinds.flatMap((kind) => onStore(kind, some, run)),
    ...onNodes(some, run),
    ...onDisk(some, run),
    ...mutantsOn(some, run),
  ];
}

/** One reader is woken far more often than an agent may be within an hour. */
const NO_BUDGET = () => ({ CREWROOM_WAKES_PER_HOUR: "0" });

type Some = (what: keyof typeof AMOUNTS) => number;

/** On Postgres three nodes share the database; a SQLite file has one server. */
function onStore(kind: Kind, some: Some, { postgres }: Run): Check[] {
  const on = { kind, nodes: kind === "postgres" ? 3 : 1 };
  const where = kind === "postgres" ? "postgres, 3 nodes" : "sqlite";
  return [
    {
      name: `contention: ${some("claims")} rounds of 64 claimers, one winner each (${where})`,
      on,
      run: (arena) => oneWinner(arena, some("claims")),
    },
    {
      name: `contention: claim_next gives every task once (${where})`,
      on,
      run: (arena) => everyTaskOnce(arena, some("nextClaims")),
    },
    {
      name: `cursor: 16 writers, the same for all readers (${where})`,
      on,
      run: (arena) => sameForAll(arena, some("seconds")),
    },
    {
      name: `cursor: news of a cut answer come again (${where})`,
      on: { kind },
      run: (arena) => cutNewsComeAgain(arena, some("cuts")),
    },
    { name: `fence: no late writes (${where})`, on, run: (arena) => noLateWrites(arena) },
    { name: `keys: one effect per key (${where})`, on, run: (arena) => oneEffectPerKey(arena, some("twins")) },
    {
      name: `kill -9: ${some("kills")} kills, nothing lost (${kind === "postgres" ? "postgres, 3 nodes and its server" : "sqlite"})`,
      on,
      run: (arena) => nothingLost(arena, { kills: some("kills"), postgres, crashEvery: 5 }),
    },
    {
      name: `receivers: killed at six points, ${some("sends")} sends (${where})`,
      on: { ...on, settings: NO_BUDGET },
      run: (arena) => killedReaders(arena, { sends: some("sends"), each: 5, watchers: some("watchers") }),
    },
    {
      name: `watcher: cut ${some("watcherCuts")} times, each line once (${where})`,
      on: { ...on, settings: NO_BUDGET },
      run: (arena) => cutLines(arena, { posts: 9 * some("watcherCuts"), cuts: some("watcherCuts") }),
    },
    { name: `migration: killed at every statement (${kind})`, alone: () => migrationIsWhole(kind, postgres) },
  ];
}

/** What only several nodes on one database can show. */
function onNodes(some: Some, { kinds, postgres }: Run): Check[] {
  if (!postgres || !kinds.includes("postgres")) return [];
  const kind = "postgres";
  const rounds = some("wakes");
  return [
    {
      name: "nodes: one of three behind a proxy is killed, nothing lost (postgres)",
      on: { kind, nodes: 3 },
      run: (arena) => oneNodeLess(arena, some("seconds")),
    },
    {
      name: "nodes: what one writes wakes another at once (postgres)",
      on: { kind, nodes: 2 },
      run: (arena) => othersAreHeard(arena, { rounds, deaf: false }),
    },
    {
      name: "nodes: behind a pooler the look every second does it, and the hub says so (postgres)",
      alone: (options) => behindAPooler(options, postgres, rounds),
    },
  ];
}

/** LISTEN goes through a proxy that swallows what comes of it. */
async function behindAPooler(options: Omit<ArenaOptions, "kind">, { url }: PostgresServer, rounds: number) {
  const { hostname: host, port } = new URL(url);
  const pooler = await mute({ host, port: Number(port) });
  const settings = ({ DATABASE_URL: address = "" }: Readonly<Record<string, string>>) => {
    const direct = new URL(address);
    direct.port = String(pooler.port);
    direct.hostname = "127.0.0.1";
    return { DATABASE_DIRECT_URL: direct.href };
  };
  const arena = await openArena({ ...options, kind: "postgres", nodes: 2, settings });
  try {
    return await othersAreHeard(arena, { rounds, deaf: true });
  } finally {
    await arena.close();
    pooler.close();
  }
}

function onDisk(some: Some, { kinds, canTrace }: Run): Check[] {
  if (!canTrace || !kinds.includes("sqlite")) return [];
  return [
    {
      name: "fsync: every commit is synced (sqlite)",
      alone: (options) => everyCommitIsSynced(options, some("commits")),
    },
  ];
}

function mutantsOn(some: Some, { kinds, canTrace }: Run): Check[] {
  const onNodes = { kind: "postgres", nodes: 3 } as const;
  const onFile = { kind: "sqlite" } as const;
  const all: readonly Check[] = [
    mutated(SEQUENCE_CURSOR, onNodes, (arena) => sameForAll(arena, some("seconds"), ["readPages"])),
    mutated(READ_THEN_WRITE_CLAIM, onNodes, (arena) => oneWinner(arena, some("claims"))),
    mutated(NO_FENCE, onFile, noLateWrites),
    mutated(KEY_KEPT_LATER, onFile, (arena) => nothingLost(arena, { kills: some("kills") / 2 })),
    mutated(CUT_COUNTS_AS_READ, onFile, (arena) => cutNewsComeAgain(arena, 3)),
  ];
  const traced: Check = {
    name: `mutant: ${SYNCED_SELDOM.name}`,
    mutant: SYNCED_SELDOM,
    alone: (options) => everyCommitIsSynced(options, some("commits")),
  };
  const here = all.filter(({ on }) => on && kinds.includes(on.kind));
  return canTrace && kinds.includes("sqlite") ? [...here, traced] : here;
}

function mutated(mutant: Mutant, on: Ground, run: (arena: Arena) => Problems): Check {
  return { name: `mutant: ${mutant.name} (${on.kind})`, mutant, on, run };
}
