import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openAuthorizingProxy } from "./authorizing-proxy.ts";
import type { HubProcess } from "./hub-process.ts";
import type { Report } from "./report.ts";
import { runOrThrow, runProgram } from "./run-program.ts";

const PROGRAM = join(import.meta.dirname, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const LIST = join(import.meta.dirname, "conformance.json");

/** What conformance.json says of a scenario: at which revisions it is run, and why not at others or not at all. */
interface Verdict {
  readonly applies: readonly string[];
  readonly why_not?: string;
  /** Checks within it that need what a hub does not have; they must fail, or they do apply. */
  readonly untestable?: Readonly<Record<string, string>>;
}

/** A scenario of the suite and the revisions (or `extension`) it is written for. */
interface Scenario {
  readonly name: string;
  readonly revisions: readonly string[];
}

/** The official conformance suite: every scenario that needs no fixture passes, and none goes unmentioned. `home`: for its files. */
export function checkConformance({ section, check }: Report, hub: HubProcess, home: string): Promise<void> {
  return section(`official conformance suite, on ${hub.store}`, async () => {
    const verdicts = JSON.parse(readFileSync(LIST, "utf8")) as Record<string, Verdict>; // our own file
    const scenarios = await listScenarios();
    await check(`each of its ${scenarios.length} scenarios for servers is in conformance.json`, () =>
      compareLists(scenarios, verdicts),
    );

    // The suite cannot be given a header.
    const proxy = await openAuthorizingProxy(hub.url, await hub.mint("connie", "conformance"));
    for (const [name, { applies, untestable = {} }] of Object.entries(verdicts)) {
      for (const revision of applies) {
        await check(`${name}, ${revision}`, () =>
          runScenario(`${proxy.url}/mcp`, { name, revision, untestable, home }),
        );
      }
    }
    await proxy.close();
  });
}

async function listScenarios(): Promise<Scenario[]> {
  const { out } = await runOrThrow(process.execPath, [PROGRAM, "list", "--server"]);
  const lines = [...out.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)];
  return lines.map(([, name = "", revisions = ""]) => ({ name, revisions: revisions.split(",") }));
}

function compareLists(scenarios: readonly Scenario[], verdicts: Readonly<Record<string, Verdict>>) {
  assert(scenarios.length > 0, "the suite lists none");
  const known = new Map(scenarios.map(({ name, revisions }) => [name, revisions]));
  const unmentioned = scenarios.filter(({ name }) => !(name in verdicts)).map(({ name }) => name);
  const gone = Object.keys(verdicts).filter((name) => !known.has(name));
  const unreasoned = Object.entries(verdicts).filter(
    ([name, { applies, why_not }]) => !why_not && known.get(name)?.some((revision) => !applies.includes(revision)),
  );
  assert.deepEqual({ unmentioned, gone, unreasoned }, { unmentioned: [], gone: [], unreasoned: [] });
}

interface Run {
  readonly name: string;
  readonly revision: string;
  readonly untestable: Readonly<Record<string, string>>;
  readonly home: string;
}

interface SuiteCheck {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
}

async function runScenario(url: string, { name, revision, untestable, home }: Run) {
  const folder = mkdtempSync(join(home, "conformance-"));
  const args = ["server", "--url", url, "--scenario", name, "--spec-version", revision, "--output-dir", folder];
  const { out, err } = await runProgram(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  const [result] = readdirSync(folder);
  if (result === undefined) throw new Error(`It left no result:\n${out}${err}`);
  const checks = JSON.parse(readFileSync(join(folder, result, "checks.json"), "utf8")) as SuiteCheck[]; // the suite's own format

  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const unexpected = bad.filter(({ id }) => !(id in untestable));
  assert.deepEqual(
    unexpected.map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage}`),
    [],
  );
  assert.deepEqual(
    bad.map(({ id }) => id).sort(),
    Object.keys(untestable).sort(),
    "a check listed as untestable passed",
  );
  assert(
    checks.some(({ status }) => status === "SUCCESS"),
    `it checked nothing:\n${out}`,
  );
}
