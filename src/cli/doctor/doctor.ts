import type { Command } from "commander";
import { readSettings } from "../../config.ts";
import { inspectPostgres, inspectSqlite } from "../../store/inspect.ts";
import { VERSION } from "../../version.ts";
import { EXIT } from "../exit-codes.ts";
import { type OutputOption, type Shell, withOutput } from "../shell.ts";
import { checkBackup, checkDatabase } from "./check-database.ts";
import { checkDisk, checkKey } from "./check-files.ts";
import { checkPort, checkPublicAddress } from "./check-network.ts";
import { checkSettings } from "./check-settings.ts";
import type { Finding } from "./finding.ts";

/** `doctor`: looks at everything a server needs, and changes nothing. */
export function addDoctorCommand(program: Command, shell: Shell): void {
  withOutput(program.command("doctor").description("check what a server needs; changes nothing")).action(
    (options: OutputOption) => doctor(shell, options),
  );
}

async function doctor(shell: Shell, { json }: OutputOption) {
  const settings = readSettings();
  const facts = settings.DATABASE_URL
    ? await inspectPostgres(settings.DATABASE_URL)
    : inspectSqlite(settings.CREWROOM_DB);
  const findings: Finding[] = [
    { level: "ok", about: "program", says: `Crewroom ${VERSION}, Node ${process.versions.node}` },
    ...checkSettings(settings),
    ...checkKey(settings),
    ...checkDatabase(settings, facts, shell.command),
    ...checkDisk(settings),
    ...checkBackup(facts, shell.command),
    await checkPort(settings),
    ...(await checkPublicAddress(settings)),
  ];
  const ok = findings.every((finding) => finding.level !== "fail");
  if (!ok) shell.exit = EXIT.usage;
  if (json) return shell.output.value({ ok, findings });
  for (const { level, about, says, next } of findings) {
    shell.output.say(`${level.padEnd(4)}  ${about.padEnd(9)} ${says}`);
    if (next) shell.output.say(`${" ".repeat(16)} → ${next}`);
  }
}
