import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { pipeline } from "node:stream";
import {
  type ArchiveContents,
  ArchiveError,
  type ArchiveHead,
  type ArchiveLine,
  type ArchiveRow,
  parseLine,
  totalOf,
} from "./format.ts";

/** The longest line (bytes) that is read: a row with a large file in it has a third more than the file. */
const LONGEST_LINE = 256 * 1024 * 1024;
/** Rows are handed on so many at a time, or once they weigh this much (bytes of their lines). */
const PAGE_ROWS = 500;
const PAGE_BYTES = 1024 * 1024;

/** What reading an archive gives, in its order. */
export type ArchivePart =
  | { readonly what: "head"; readonly head: ArchiveHead }
  | { readonly what: "table"; readonly table: string; readonly columns: readonly string[] }
  | { readonly what: "rows"; readonly rows: readonly ArchiveRow[] };

/**
 * Reads an archive from its beginning to its end, checking every digest and count on the way.
 *
 * @returns what it holds.
 * @throws ArchiveError as soon as something is wrong; what was given before may be of a damaged archive.
 */
export async function* readArchive(file: string): AsyncGenerator<ArchivePart, ArchiveContents> {
  const checks = openChecks();
  let page: ArchiveRow[] = [];
  let bytes = 0;
  for await (const line of linesOf(file)) {
    const said = checks.take(line);
    if (said.what === "row") {
      page.push(said.row);
      bytes += line.length;
    }
    const isFull = page.length >= PAGE_ROWS || bytes >= PAGE_BYTES;
    if (page.length > 0 && (isFull || said.what !== "row")) {
      yield { what: "rows", rows: page };
      page = [];
      bytes = 0;
    }
    if (said.what === "head" || said.what === "table") yield said;
  }
  return checks.contents();
}

/** Reads an archive for its own sake. @throws ArchiveError */
export async function checkArchive(file: string): Promise<ArchiveContents> {
  const parts = readArchive(file);
  for (;;) {
    const step = await parts.next();
    if (step.done) return step.value;
  }
}

/** Follows the lines and refuses the first that does not fit. */
function openChecks() {
  const whole = createHash("sha256");
  const rows: Record<string, number> = {};
  let head: ArchiveHead | undefined;
  let open: { table: string; columns: number; count: number; digest: Hash } | undefined;
  let sha256: string | undefined;

  function follow(said: ArchiveLine, line: Buffer) {
    if (sha256 !== undefined) throw new ArchiveError("It goes on after its last line");
    if ((head === undefined) !== (said.what === "head")) throw new ArchiveError("It does not begin as an archive does");
    if (said.what === "head") return void (head = said.head);
    if (said.what === "table") {
      if (open || said.table in rows) throw new ArchiveError(`Its table ${said.table} begins where none can`);
      return void (open = { ...said, columns: said.columns.length, count: 0, digest: createHash("sha256") });
    }
    if (said.what === "archive ends") return void (sha256 = endOf(said));
    if (!open) throw new ArchiveError("It has a row outside a table");
    if (said.what === "row") {
      if (said.row.length !== open.columns) throw new ArchiveError(`A row of ${open.table} has not its columns`);
      open.count += 1;
      return void open.digest.update(line).update("\n");
    }
    if (said.rows !== open.count || said.sha256 !== open.digest.digest("hex"))
      throw new ArchiveError(`Its table ${open.table} is not what was written`);
    rows[open.table] = open.count;
    open = undefined;
  }

  function endOf(said: { tables: number; rows: number; sha256: string }): string {
    const isWhole = !open && said.tables === Object.keys(rows).length && said.rows === totalOf(rows);
    if (!isWhole || said.sha256 !== whole.digest("hex"))
      throw new ArchiveError("Its last line is not that of what it holds");
    return said.sha256;
  }

  return {
    take(line: Buffer): ArchiveLine {
      const said = parseLine(line.toString("utf8"));
      follow(said, line);
      if (sha256 === undefined) whole.update(line).update("\n");
      return said;
    },
    contents(): ArchiveContents {
      if (!head || sha256 === undefined) throw new ArchiveError("It is cut off: its last line is missing");
      return { head, rows, sha256 };
    },
  };
}

/** Each line without its line feed. */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const opened = createGunzip();
  // Its errors come out of the loop below.
  pipeline(createReadStream(file), opened, () => undefined);
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    // What a gunzip gives is bytes.
    for await (const chunk of opened as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...kept.splice(0), chunk.subarray(from, end)]);
        bytes = 0;
        from = end + 1;
      }
      kept.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > LONGEST_LINE) throw new ArchiveError("It has a line longer than any row");
    }
  } catch (error) {
    throw isZlibError(error) ? new ArchiveError(`It cannot be unpacked: ${error.message}`, { cause: error }) : error;
  }
  if (bytes > 0) throw new ArchiveError("It is cut off in the middle of a line");
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
