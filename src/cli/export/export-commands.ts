import { createWriteStream, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { asOperator } from "../operator.ts";
import { type OrganizationOption, type Shell, withOrganization } from "../shell.ts";
import { writeJson } from "./json.ts";
import { writeMarkdown } from "./markdown.ts";
import { openExport } from "./read.ts";

interface ExportOptions extends OrganizationOption {
  readonly format: "md" | "json";
  readonly room?: string;
  readonly out?: string;
}

const FORMATS = { md: writeMarkdown, json: writeJson };

/** `export`: what was written, for reading; `backup` is for bringing it back. */
export function addExportCommand(program: Command, shell: Shell): void {
  withOrganization(
    program.command("export").description("write a room, or an organization, for people or programs to read"),
  )
    .addOption(new Option("--format <format>", "md or json").choices(Object.keys(FORMATS)).makeOptionMandatory())
    .option("--room <name>", "one room, without members and answers")
    .option("--out <file>", "where to, for its owner alone; to standard output unless given")
    .action((options: ExportOptions) => exportAll(shell, options));
}

async function exportAll({ output }: Shell, { org, format, room, out, json }: ExportOptions) {
  await asOperator(org, async (operator) => {
    const exported = await openExport(operator, org, room);
    const parts = FORMATS[format](exported, new Date().toISOString(), room === undefined);
    if (out === undefined) return output.parts(parts);
    const partial = `${out}.partial-${process.pid}`;
    try {
      await pipeline(Readable.from(parts), createWriteStream(partial, { mode: 0o600, flags: "wx", flush: true }));
      renameSync(partial, out);
    } finally {
      rmSync(partial, { force: true });
    }
    if (json) return output.value({ ok: true, organization: org, room: room ?? null, format, file: out });
    output.say(`${room === undefined ? `Organization ${org}` : `Room ${room}`} is exported to ${out}.`);
  });
}
