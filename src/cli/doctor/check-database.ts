import type { Settings } from "../../config.ts";
import { readVerifiedBackup } from "../../features/backup/queries.ts";
import type { DatabaseFacts } from "../../store/inspect.ts";
import { databaseName } from "../database-commands.ts";
import { DAY_MS, type Finding } from "./finding.ts";

/** Clocks further apart than this (ms) make what people read misleading; rules use the database's alone. */
const CLOCK_TOLERANCE = 2_000;
/** A backup older than this is worth a word. */
const BACKUP_DAYS = 7;

export function checkDatabase(settings: Settings, facts: DatabaseFacts, command: string): Finding[] {
  const { problem, exists, engine, missing, unknown, clockAhead, served } = facts;
  const about = "database";
  const named = `${databaseName(settings)}${engine && ` (${engine})`}`;
  if (problem)
    return [{ level: "fail", about, says: `${named}: ${problem}`, next: nextAfter(settings, exists, command) }];
  if (!exists) return [{ level: "ok", about, says: `${named} will be made at the first start` }];
  if (unknown.length > 0) {
    const says = `${named} was made by a newer Crewroom: ${unknown.join(", ")}`;
    return [{ level: "fail", about, says, next: "run that version, or a newer one" }];
  }
  const findings: Finding[] = [
    { level: "ok", about, says: `${named}${served ? ", served by a running Crewroom" : ""}` },
  ];
  if (missing.length > 0) {
    const says = `the next start or migrate will apply ${missing.join(", ")}`;
    findings.push({ level: "warn", about, says, next: `make a backup first: ${command} backup before.crewroom` });
  }
  return [...findings, ...checkMode(facts), checkClock(clockAhead)];
}

function nextAfter({ DATABASE_URL, CREWROOM_DB }: Settings, exists: boolean, command: string): string {
  if (DATABASE_URL) return "look whether Postgres runs there, and lets this user in: psql with the same DATABASE_URL";
  if (exists) return `keep the file, and bring a backup back: ${command} restore <backup> --yes`;
  return `set CREWROOM_DB to a place that this user can write, instead of ${CREWROOM_DB}`;
}

function checkMode({ mode }: DatabaseFacts): Finding[] {
  if (mode === undefined || (mode & 0o077) === 0) return [];
  const says = `others on this machine may read the file (mode ${mode.toString(8)})`;
  return [{ level: "warn", about: "database", says, next: "the next start sets 600; so does: chmod 600" }];
}

function checkClock(ahead: number): Finding {
  if (Math.abs(ahead) <= CLOCK_TOLERANCE)
    return { level: "ok", about: "clock", says: "the database and this machine agree" };
  const difference = `${Math.abs(Math.round(ahead / 1_000))} s ${ahead > 0 ? "ahead of" : "behind"} this machine's`;
  return {
    level: "warn",
    about: "clock",
    says: `the database's clock is ${difference}; leases and expiries follow the database's`,
    next: "let both machines take the time from the network (NTP)",
  };
}

/** Whether what is in the database could be brought back. */
export function checkBackup({ problem, exists, values, clockAhead }: DatabaseFacts, command: string): Finding[] {
  if (problem || !exists) return [];
  const next = `${command} backup <file> --verify`;
  const known = readVerifiedBackup(values.get("verified_backup"));
  if (!known) return [{ level: "warn", about: "backup", says: "no backup of this database was ever read back", next }];
  const days = Math.floor((Date.now() + clockAhead - known.made_at) / DAY_MS);
  const says = `the last backup that was read back is of ${new Date(known.made_at).toISOString()}`;
  if (days < BACKUP_DAYS) return [{ level: "ok", about: "backup", says }];
  return [{ level: "warn", about: "backup", says: `${says}, ${days} days ago`, next }];
}
