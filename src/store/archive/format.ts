import { createHash, type Hash } from "node:crypto";

/**
 * What an archive is: gzip around lines of UTF-8, each ended by a line feed, each one JSON value.
 *
 *     {"crewroom_archive":1,"made_at":"…Z","program":"0.1.0","store":"sqlite","schema":["0001-…",…]}
 *     {"table":"rooms","columns":["organization","id",…]}
 *     ["main",1,…]                              a row: texts, numbers, nulls, {"base64":"…"} for bytes
 *     {"rows":2,"sha256":"…"}                   ends the table: over its rows' lines, line feeds included
 *     …                                         the other tables
 *     {"tables":31,"rows":4711,"sha256":"…"}    the last line: over everything before it
 *
 * Moments are ms since 1970, UTC. `schema` names the steps that made the tables, so that a newer program can bring it forward.
 */
export interface ArchiveHead {
  readonly crewroom_archive: typeof ARCHIVE_FORM;
  readonly made_at: string;
  /** The version of the program that made it. */
  readonly program: string;
  readonly store: "sqlite" | "postgres";
  readonly schema: readonly string[];
}
export const ARCHIVE_FORM = 1;

export type ArchiveValue = string | number | null | Uint8Array;
export type ArchiveRow = readonly ArchiveValue[];

/** One table as it is taken out of a database, in pages. */
export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly pages: AsyncIterable<readonly ArchiveRow[]> | Iterable<readonly ArchiveRow[]>;
}

/** What an archive holds, known once it was read, or written, to its end. */
export interface ArchiveContents {
  readonly head: ArchiveHead;
  readonly rows: Readonly<Record<string, number>>;
  /** Over all lines but the last; it stands in the last. */
  readonly sha256: string;
}

/** The archive is damaged, cut off, or none: a fact for the operator. */
export class ArchiveError extends Error {}

/** The lines of an archive, some at a time. Returns what it holds. */
export async function* writeLines(
  head: ArchiveHead,
  tables: AsyncIterable<TableRows>,
): AsyncGenerator<string, ArchiveContents> {
  const whole = createHash("sha256");
  const rows: Record<string, number> = {};
  yield counted(`${JSON.stringify(head)}\n`, whole);
  for await (const { table, columns, pages } of tables) {
    const digest = createHash("sha256");
    let count = 0;
    yield counted(`${JSON.stringify({ table, columns })}\n`, whole);
    for await (const page of pages) {
      count += page.length;
      yield counted(page.map(rowLine).join(""), whole, digest);
    }
    rows[table] = count;
    yield counted(`${JSON.stringify({ rows: count, sha256: digest.digest("hex") })}\n`, whole);
  }
  const sha256 = whole.digest("hex");
  yield `${JSON.stringify({ tables: Object.keys(rows).length, rows: totalOf(rows), sha256 })}\n`;
  return { head, rows, sha256 };
}

function counted(text: string, ...digests: readonly Hash[]): string {
  for (const digest of digests) digest.update(text);
  return text;
}

export function totalOf(rows: ArchiveContents["rows"]): number {
  return Object.values(rows).reduce((total, count) => total + count, 0);
}

function rowLine(row: ArchiveRow): string {
  const values = row.map((value) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value,
  );
  return `${JSON.stringify(values)}\n`;
}

/** What a line says. */
export type ArchiveLine =
  | { readonly what: "head"; readonly head: ArchiveHead }
  | { readonly what: "table"; readonly table: string; readonly columns: readonly string[] }
  | { readonly what: "row"; readonly row: ArchiveRow }
  | { readonly what: "table ends"; readonly rows: number; readonly sha256: string }
  | { readonly what: "archive ends"; readonly tables: number; readonly rows: number; readonly sha256: string };

/** @throws ArchiveError for a line that no archive has. */
export function parseLine(line: string): ArchiveLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new ArchiveError("It has a line that is no JSON", { cause: error });
  }
  if (Array.isArray(value)) return { what: "row", row: value.map(parseValue) };
  if (typeof value !== "object" || value === null) throw new ArchiveError("It has a line that is no object");
  if ("crewroom_archive" in value) return { what: "head", head: parseHead(value) };
  if ("table" in value) return parseTable(value);
  return parseEnd(value);
}

function parseValue(value: unknown): ArchiveValue {
  if (typeof value === "string" || typeof value === "number" || value === null) return value;
  if (typeof value === "object" && "base64" in value && typeof value.base64 === "string")
    return Buffer.from(value.base64, "base64");
  throw new ArchiveError("It has a row with a value of no known kind");
}

function parseHead(value: object): ArchiveHead {
  const { crewroom_archive: form, made_at, program, store, schema } = value as Partial<Record<string, unknown>>;
  if (form !== ARCHIVE_FORM)
    throw new ArchiveError(`It is an archive of form ${String(form)}, which this Crewroom does not know`);
  const isHead =
    typeof made_at === "string" &&
    typeof program === "string" &&
    (store === "sqlite" || store === "postgres") &&
    isTexts(schema);
  if (!isHead) throw new ArchiveError("Its first line is not that of an archive");
  return { crewroom_archive: form, made_at, program, store, schema };
}

function parseTable(value: object): ArchiveLine {
  const { table, columns } = value as Partial<Record<string, unknown>>;
  if (typeof table !== "string" || !isTexts(columns))
    throw new ArchiveError("It has a table without a name or columns");
  return { what: "table", table, columns };
}

function parseEnd(value: object): ArchiveLine {
  const { tables, rows, sha256 } = value as Partial<Record<string, unknown>>;
  if (typeof rows !== "number" || typeof sha256 !== "string") throw new ArchiveError("It has a line of no known kind");
  return typeof tables === "number"
    ? { what: "archive ends", tables, rows, sha256 }
    : { what: "table ends", rows, sha256 };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
