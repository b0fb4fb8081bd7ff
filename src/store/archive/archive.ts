import { closeSync, createWriteStream, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { StoreError } from "../store.ts";
import { ARCHIVE_FORM, type ArchiveContents, ArchiveError, type ArchiveHead, writeLines } from "./format.ts";
import { ownName } from "./own-names.ts";
import { snapshotPostgres } from "./postgres-dump.ts";
import { restorePostgres } from "./postgres-restore.ts";
import type { Restored, Restoring } from "./restore.ts";
import { snapshotSqlite } from "./sqlite-dump.ts";
import { restoreSqlite } from "./sqlite-restore.ts";

/** Where a database is, without opening it. */
export type DatabasePlace =
  { readonly kind: "sqlite"; readonly path: string } | { readonly kind: "postgres"; readonly url: string };

export interface WrittenArchive extends ArchiveContents {
  /** Of the archive itself, packed. */
  readonly bytes: number;
}

/**
 * Writes what a database holds at one moment into a file for its owner alone, while others write to the database. The file is there
 * once it is whole and on the disk; one of the same name is replaced in that moment.
 *
 * @throws ArchiveError where something else has that name, such as the database itself; StoreError `full`, StoreSetupError,
 *   SchemaError. After it nothing is left.
 */
export async function writeArchive(place: DatabasePlace, file: string, program: string): Promise<WrittenArchive> {
  refuseOtherFile(file);
  const partial = ownName(file, "partial");
  try {
    const snapshot = place.kind === "sqlite" ? snapshotSqlite(place.path, file) : await snapshotPostgres(place.url);
    try {
      const head: ArchiveHead = {
        crewroom_archive: ARCHIVE_FORM,
        made_at: new Date().toISOString(),
        program,
        store: place.kind,
        schema: snapshot.schema,
      };
      const contents = await pack(writeLines(head, snapshot.tables), partial);
      const { size } = statSync(partial);
      renameSync(partial, file);
      syncFolder(dirname(resolve(file)));
      return { ...contents, bytes: size };
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    rmSync(partial, { force: true });
    throw asFull(error);
  }
}

/** What gzip's files begin with. @source RFC 1952, 2.3.1. */
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Only a backup of before is replaced: a slip of the pen must not cost a database, a key or somebody's notes. */
function refuseOtherFile(file: string) {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return;
  const opened = openSync(file, "r");
  try {
    const first = Buffer.alloc(GZIP.length);
    readSync(opened, first, 0, GZIP.length, 0);
    if (!first.equals(GZIP)) throw new ArchiveError("A file that is no backup has that name and is not replaced");
  } finally {
    closeSync(opened);
  }
}

async function pack(lines: AsyncGenerator<string, ArchiveContents>, file: string): Promise<ArchiveContents> {
  let contents: ArchiveContents | undefined;
  async function* take() {
    contents = yield* lines;
  }
  // `flush`: on the disk before it is closed.
  await pipeline(
    Readable.from(take()),
    createGzip(),
    createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }),
  );
  if (!contents) throw new Error("An archive ended before its last line.");
  return contents;
}

/** Brings an archive back into a database of either kind; see `Restoring`. */
export function restoreArchive<T>(place: DatabasePlace, restoring: Restoring<T>): Promise<Restored<T>> {
  return place.kind === "sqlite" ? restoreSqlite(place.path, restoring) : restorePostgres(place.url, restoring);
}

function syncFolder(folder: string) {
  const opened = openSync(folder, "r");
  fsyncSync(opened);
  closeSync(opened);
}

function asFull(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EROFS" ? new StoreError("full", error) : error;
}
