// `npm run test:soak`: the proofs under load. Real servers in processes of their own, real HTTP, kill -9.
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { startPostgres } from "../postgres.mjs";
import { openArena, type Kind } from "./arena.ts";
import { bundle, BUNDLES } from "./build.ts";
import { checksFor, type Check } from "./checks.ts";
import { seeded } from "./random.ts";
import { canTrace } from "./synced.ts";

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    seed: { type: "string" },
    stores: { type: "string", default: "sqlite,postgres" },
    only: { type: "string", default: "" },
  },
});
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const kinds = values.stores.split(",").filter((kind): kind is Kind => kind === "sqlite" || kind === "postgres");
const started = performance.now();
const random = seeded(seed);
let passed = 0;
const failures: string[] = [];
const mutants = { caught: 0, of: 0 };

say(`seed ${seed}; again with: npm run test:soak -- --seed ${seed}${values.long ? " --long" : ""}`);
const postgres = kinds.includes("postgres") ? await startPostgres({ durable: true }) : undefined;
// Hubs and clients end with this process; the database would outlive it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void end(1));
try {
  if (!canTrace()) say("NOT RUN: counting fsync needs strace, which this machine does not have or does not allow");
  const checks = checksFor({ kinds, postgres, long: values.long, canTrace: canTrace() });
  for (const check of checks.filter(({ name }) => name.includes(values.only))) await runCheck(check);
} finally {
  await cleanUp();
}
if (mutants.of > 0) say(`mutants caught: ${mutants.caught} of ${mutants.of}`);
if (passed + failures.length === 0) say("nothing ran");
for (const failure of failures) process.stdout.write(`FAILED: ${failure}\n`);
process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
process.exit(failures.length > 0 || passed === 0 ? 1 : 0);

async function cleanUp() {
  await postgres?.stop();
  rmSync(BUNDLES, { recursive: true, force: true });
}

async function end(code: number) {
  await cleanUp();
  process.exit(code);
}

async function runCheck(check: Check) {
  const { name, mutant } = check;
  const began = performance.now();
  const problems = await findProblems(check).catch((error: unknown) => [
    `it did not run: ${String(error instanceof Error ? error.stack : error)}`,
  ]);
  const caught = mutant && problems.some((problem) => mutant.caughtBy.test(problem));
  const fine = mutant ? caught : problems.length === 0;
  if (mutant) mutants.of += 1;
  if (caught) mutants.caught += 1;
  if (fine) passed += 1;
  else failures.push([name, mutant && "not caught", problems[0]?.split("\n")[0]].filter(Boolean).join(": "));
  const said = mutant
    ? caught
      ? `caught: ${problems.find((problem) => mutant.caughtBy.test(problem))}`
      : "NOT CAUGHT"
    : "";
  say(`${fine ? "ok  " : "FAIL"}  ${name} (${((performance.now() - began) / 1_000).toFixed(1)} s)  ${said}`);
  if (!fine) for (const problem of problems) say(`        ${problem}`);
}

async function findProblems(check: Check): Promise<readonly string[]> {
  const { name, mutant } = check;
  const hub = await bundle("hub-process.ts", mutant ? mutant.name.replaceAll(/\W+/g, "-") : "hub", mutant?.changes);
  const options = { bundle: hub, random: random.fork(name), postgres };
  if (!check.on) return check.alone(options);
  const arena = await openArena({ ...options, ...check.on });
  try {
    return await check.run(arena);
  } finally {
    await arena.close();
  }
}

function say(line: string) {
  process.stdout.write(`${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
}
