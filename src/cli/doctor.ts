import { createServer } from "node:net";
import type { Command } from "commander";
import { listUnknownSettings, reachableUrl, readSettings, type Settings } from "../config.ts";
import { type DatabaseFacts, inspectPostgres, inspectSqlite } from "../store/inspect.ts";
import { VERSION } from "../version.ts";
import { databaseName } from "./database-commands.ts";
import { EXIT } from "./exit-codes.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

interface Finding {
  readonly level: "ok" | "warn" | "fail";
  readonly about: string;
  readonly says: string;
}

/** Clocks further apart than this (ms) make what people read misleading; rules use the database's alone. */
const CLOCK_TOLERANCE = 2_000;

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
  const findings = [
    { level: "ok" as const, about: "program", says: `Crewroom ${VERSION}, Node ${process.versions.node}` },
    ...checkSettings(settings),
    ...checkDatabase(settings, facts),
    await checkPort(settings),
  ];
  const ok = findings.every((finding) => finding.level !== "fail");
  if (!ok) shell.exit = EXIT.usage;
  if (json) return shell.output.value({ ok, findings });
  for (const { level, about, says } of findings) shell.output.say(`${level.padEnd(4)}  ${about.padEnd(9)} ${says}`);
}

function checkSettings(settings: Settings): Finding[] {
  const {
    CREWROOM_HOST: host,
    CREWROOM_PUBLIC_URL: publicUrl,
    CREWROOM_ALLOWED_HOSTS: hosts,
    CREWROOM_TRUSTED_PROXIES: proxies,
  } = settings;
  const isLocal = ["127.0.0.1", "::1", "localhost"].includes(host);
  const warnings = listUnknownSettings();
  if (!isLocal && !publicUrl && hosts.length === 0) {
    warnings.push(
      `CREWROOM_HOST is ${host}, but no other Host is answered for: set CREWROOM_PUBLIC_URL or CREWROOM_ALLOWED_HOSTS`,
    );
  }
  if (publicUrl?.startsWith("http:")) warnings.push(`CREWROOM_PUBLIC_URL is http: tokens travel unencrypted`);
  if (publicUrl?.startsWith("https:") && proxies.length === 0) {
    warnings.push(
      "CREWROOM_TRUSTED_PROXIES is empty: behind a proxy all callers share its address, and its budget of failed sign-ins",
    );
  }
  if (warnings.length === 0)
    return [{ level: "ok", about: "settings", says: `agents reach ${reachableUrl(settings)}` }];
  return warnings.map((says) => ({ level: "warn", about: "settings", says }));
}

function checkDatabase(settings: Settings, facts: DatabaseFacts): Finding[] {
  const { problem, exists, engine, missing, unknown, clockAhead, served, mode } = facts;
  const about = "database";
  const named = `${databaseName(settings)}${engine && ` (${engine})`}`;
  if (problem) return [{ level: "fail", about, says: `${named}: ${problem}` }];
  if (!exists) return [{ level: "ok", about, says: `${named} will be made at the first start` }];
  if (unknown.length > 0)
    return [{ level: "fail", about, says: `${named} was made by a newer Crewroom: ${unknown.join(", ")}` }];
  const findings: Finding[] = [
    { level: "ok", about, says: `${named}${served ? ", served by a running Crewroom" : ""}` },
  ];
  if (missing.length > 0)
    findings.push({ level: "warn", about, says: `the next start or migrate will apply ${missing.join(", ")}` });
  if (mode !== undefined && (mode & 0o077) !== 0) {
    findings.push({
      level: "warn",
      about,
      says: `others on this machine may read the file (mode ${mode.toString(8)}); the next start sets 600`,
    });
  }
  if (Math.abs(clockAhead) > CLOCK_TOLERANCE) {
    const difference = `${Math.abs(Math.round(clockAhead / 1_000))} s ${clockAhead > 0 ? "ahead of" : "behind"} this machine's`;
    findings.push({
      level: "warn",
      about: "clock",
      says: `the database's clock is ${difference}; leases and expiries follow the database's`,
    });
  } else findings.push({ level: "ok", about: "clock", says: "the database and this machine agree" });
  return findings;
}

async function checkPort(settings: Settings): Promise<Finding> {
  const about = "port";
  const { CREWROOM_HOST: host, PORT: port } = settings;
  const problem = await tryPort(host, port);
  if (problem === undefined) return { level: "ok", about, says: `${port} on ${host} is free` };
  if (problem === "EADDRINUSE" && (await answersAsCrewroom(settings)))
    return { level: "ok", about, says: `a Crewroom answers at ${host}:${port}` };
  return {
    level: "fail",
    about,
    says: `${port} on ${host} cannot be opened: ${problem === "EADDRINUSE" ? "another program has it" : problem}`,
  };
}

function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

async function answersAsCrewroom(settings: Settings): Promise<boolean> {
  try {
    const local = reachableUrl({ ...settings, CREWROOM_PUBLIC_URL: undefined });
    const answer: unknown = await (
      await fetch(`${local}/health`, { signal: AbortSignal.timeout(2_000), redirect: "error" })
    ).json();
    return typeof answer === "object" && answer !== null && "status" in answer && answer.status === "ok";
  } catch {
    return false;
  }
}
