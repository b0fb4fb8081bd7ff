import type { ForeignRow } from "../../store/foreign.ts";

/** A column as text; empty where there is none. */
export function textOf(row: ForeignRow, column: string): string {
  const value = row[column];
  return typeof value === "string" ? withoutNul(value) : value === null || value === undefined ? "" : String(value);
}

/** No text here holds a NUL: Postgres keeps none. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

/** A column as text, or null where nothing stands. */
export function textOrNull(row: ForeignRow, column: string): string | null {
  const text = textOf(row, column);
  return text === "" ? null : text;
}

export function numberOf(row: ForeignRow, column: string): number {
  const value = Number(row[column]);
  return Number.isFinite(value) ? value : 0;
}

export function numberOrNull(row: ForeignRow, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : numberOf(row, column);
}

export function isSet(row: ForeignRow, column: string): boolean {
  return numberOf(row, column) !== 0;
}

export function bytesOf(row: ForeignRow, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : Buffer.from(textOf(row, column));
}

/** An ISO 8601 time as ms since 1970, UTC; undefined where none stands, or one that is none. */
export function momentIn(row: ForeignRow, column: string): number | undefined {
  const moment = Date.parse(textOf(row, column));
  return Number.isNaN(moment) ? undefined : moment;
}

/** A JSON list of texts or numbers, as texts; empty where something else stands. */
export function listIn(row: ForeignRow, column: string): string[] {
  try {
    const value: unknown = JSON.parse(textOf(row, column) || "[]");
    return Array.isArray(value) ? value.filter((one) => ["string", "number"].includes(typeof one)).map(String) : [];
  } catch {
    return [];
  }
}
