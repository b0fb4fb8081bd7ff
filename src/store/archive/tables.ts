import { MIGRATIONS, SchemaError } from "../migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import type { TableRows } from "./format.ts";

/** A database as it was at one moment. */
export interface Snapshot {
  /** The steps that made its tables. */
  readonly schema: readonly string[];
  readonly tables: AsyncIterable<TableRows>;
  close(): Promise<void>;
}

/** What each step makes or removes, by the words of its statements: a database may hold other programs' tables too. */
const MAKES = /^\s*create (?:virtual )?table (?:if not exists )?([a-z_]+)/i;
const REMOVES = /^\s*drop table (?:if exists )?([a-z_]+)/i;
const RENAMES = /^\s*alter table ([a-z_]+) rename to ([a-z_]+)/i;

/** The tables that these steps leave, in the order in which they were made. The list of the steps itself is none of them. */
export function tablesOf(migrations: readonly Migration[], kind: "sqlite" | "postgres"): string[] {
  const tables = new Set<string>();
  for (const step of migrations) {
    for (const statement of [...step.statements, ...(step[kind] ?? [])]) {
      const [, made] = MAKES.exec(statement) ?? [];
      const [, removed] = REMOVES.exec(statement) ?? [];
      const [, before, after] = RENAMES.exec(statement) ?? [];
      if (made) tables.add(made);
      if (removed) tables.delete(removed);
      if (before && after && tables.delete(before)) tables.add(after);
    }
  }
  return [...tables];
}

/** @throws SchemaError: what a newer program added would be left out in silence. */
export function refuseUnknown(schema: readonly string[]): void {
  const unknown = schema.filter((name) => !MIGRATIONS.some((step) => step.name === name));
  if (unknown.length > 0)
    throw new SchemaError(`It was made by a newer Crewroom: this one does not know ${unknown.join(", ")}.`);
}

/** The steps by these names, in this program's order. */
export function stepsNamed(schema: readonly string[]): readonly Migration[] {
  return MIGRATIONS.filter((step) => schema.includes(step.name));
}
