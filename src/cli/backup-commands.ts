import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { FIRST_ORGANIZATION, readSettings } from "../config.ts";
import { toIso } from "../core/fields.ts";
import { finishRestore } from "../features/backup/finish-restore.ts";
import { isUnused, listEpochs, type LiveTokenRow, saveVerifiedBackup } from "../features/backup/queries.ts";
import { type Verdict, verdictOn } from "../features/integrity/verdict.ts";
import { openStore, placeOf } from "../hub.ts";
import { restoreArchive, type WrittenArchive, writeArchive } from "../store/archive/archive.ts";
import { type ArchiveContents, ArchiveError, totalOf } from "../store/archive/format.ts";
import { NotEmptyError } from "../store/archive/restore.ts";
import { restoreScratch } from "../store/archive/sqlite-restore.ts";
import { StoreError } from "../store/store.ts";
import { VERSION } from "../version.ts";
import { databaseName } from "./database-commands.ts";
import { EXIT, UsageError } from "./exit-codes.ts";
import { table } from "./output.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

interface BackupOptions extends OutputOption {
  readonly verify?: true;
}
interface RestoreOptions extends OutputOption {
  readonly yes?: true;
}

/** `backup` and `restore`. */
export function addBackupCommands(program: Command, shell: Shell): void {
  withOutput(
    program
      .command("backup")
      .description("write the whole database, as it is at one moment, into one file; a server may run on")
      .argument("<file>", "where to; one that is there is replaced once the new one is whole"),
  )
    .option("--verify", "read it back into a scratch database, and keep when that was")
    .action((file: string, options: BackupOptions) => backup(shell, file, options));
  withOutput(
    program
      .command("restore")
      .description("bring a backup back, on SQLite or Postgres, whichever it came from; no server may run")
      .argument("<file>", "what `backup` wrote"),
  )
    .option("--yes", "replace a database that is not empty; of SQLite the old file is kept beside it")
    .action((file: string, options: RestoreOptions) => restore(shell, file, options));
}

async function backup(shell: Shell, file: string, { json, verify }: BackupOptions) {
  const settings = readSettings();
  const written = await telling(file, () => writeArchive(placeOf(settings), file, VERSION)).catch(tellFull(file));
  const damage = verify ? (await verifyBackup(file)).verdict.problem_count : undefined;
  if (damage) shell.exit = EXIT.refused;
  const { rows, sha256, bytes, head } = written;
  const made = { file, made_at: head.made_at, bytes, tables: Object.keys(rows).length, rows: totalOf(rows), sha256 };
  if (json) return shell.output.value({ ok: !damage, ...made, verified: damage === 0 });
  const whole = damage === 0 ? ", read back and whole" : "";
  shell.output.say(
    `${databaseName(settings)} is backed up to ${file}: ${made.rows} rows of ${made.tables} tables, ${sizeOf(written)}${whole}.`,
  );
  if (damage)
    shell.output.say(`${damage} things in it are NOT what was stored: ${shell.command} verify ${file} says which.`);
}

/** Reads a backup back into a scratch database, which is thrown away, and keeps when that was where it is one of this database. */
export async function verifyBackup(file: string): Promise<{ contents: ArchiveContents; verdict: Verdict }> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-verify-"));
  try {
    const path = join(folder, "scratch.db");
    const contents = await telling(file, () => restoreScratch(path, file));
    const scratch = await openStore({ ...readSettings(), DATABASE_URL: undefined, CREWROOM_DB: path }, {});
    try {
      const verdict = await verdictOn(scratch);
      if (verdict.problem_count === 0) await noteVerified(contents, await scratch.read(listEpochs));
      return { contents, verdict };
    } finally {
      await scratch.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function noteVerified({ head, rows, sha256 }: ArchiveContents, epochs: readonly string[]) {
  const settings = readSettings();
  // A backup may be read back on a machine that has no database, or another one.
  if (!settings.DATABASE_URL && !existsSync(settings.CREWROOM_DB)) return;
  const store = await openStore(settings, {});
  try {
    const mine = await store.read(listEpochs);
    if (mine.join() !== epochs.join()) return;
    const backup = { made_at: Date.parse(head.made_at), rows: totalOf(rows), sha256 };
    await store.write(FIRST_ORGANIZATION, (tx) => saveVerifiedBackup(tx, backup));
  } finally {
    await store.close();
  }
}

async function restore({ output, command }: Shell, file: string, { json, yes }: RestoreOptions) {
  const settings = readSettings();
  const { contents, finished, kept } = await telling(file, () =>
    restoreArchive(placeOf(settings), {
      file,
      replace: yes === true,
      isEmpty: isUnused,
      finish: (tx, head) => finishRestore(tx, head.made_at),
    }),
  );
  const told = {
    made_at: contents.head.made_at,
    database: databaseName(settings),
    rows: totalOf(contents.rows),
    organizations: finished.organizations,
    ended_sign_ins: finished.ended_sign_ins,
    kept: kept ?? null,
    tokens: finished.tokens.map(toTold),
  };
  if (json) return output.value({ ok: true, ...told });
  output.say(
    `${told.database} holds the backup of ${told.made_at}: ${told.rows} rows. ${told.ended_sign_ins} sign-ins were ended, and ` +
      `readers are told that history changed.${kept ? ` The database that was there is ${kept}.` : ""}`,
  );
  if (told.tokens.length === 0) return;
  output.say(`These tokens work again, even if they were revoked since. End what should not: ${command} token revoke.`);
  output.say(
    table(
      ["ORGANIZATION", "MEMBER", "ID", "LABEL", "LAST SEEN"],
      told.tokens.map((one) => [one.organization, one.member, one.id, one.label, one.last_seen ?? "never"]),
    ),
  );
}

function toTold({ organization, id, member, label, created_at, last_seen_at, expires_at }: LiveTokenRow) {
  const moments = { created_ts: toIso(created_at), last_seen: toIso(last_seen_at), expires_at: toIso(expires_at) };
  return { organization, id, member, label, ...moments };
}

/** A disk with no room is that of the backup: the database is only read. @throws UsageError */
function tellFull(file: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof StoreError && error.trouble === "full")) throw error;
    const says = `There is no room for ${file}, or nothing can be written there; nothing was left behind.`;
    throw new UsageError(says, { cause: error });
  };
}

/** Tells what is wrong with a file in a sentence about it. @throws UsageError */
async function telling<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveError)
      throw new UsageError(`${file} is no backup that can be used. ${error.message}.`, { cause: error });
    if (error instanceof NotEmptyError)
      throw new UsageError(`${error.message} To replace what is in it, add --yes.`, { cause: error });
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "EACCES" || code === "EISDIR" || code === "ENOTDIR")
      throw new UsageError(`${file} cannot be opened (${code}).`, { cause: error });
    throw error;
  }
}

function sizeOf({ bytes }: WrittenArchive): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
