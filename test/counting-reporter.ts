import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** What a run came to. A file that cannot be loaded and an error outside every test are failures like a failing test. */
export interface Counts {
  readonly passed: number;
  /** One line each: what failed, and the first line of why. */
  readonly failures: readonly string[];
}

/** Writes the counts of a run to the file `CREWROOM_TEST_COUNTS`, for scripts/test.mjs, and sees to the exit code itself. */
export class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counts = count(modules, unhandled);

    const file = process.env["CREWROOM_TEST_COUNTS"];
    if (file) writeFileSync(file, JSON.stringify(counts));
    if (counts.failures.length > 0 || counts.passed === 0) process.exitCode = 1;
  }
}

function count(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Counts {
  const passed = modules.flatMap((module) => [...module.children.allTests("passed")]).length;
  const outside = unhandled.map((error) => lineOf("outside every test", [error]));
  return { passed, failures: [...modules.flatMap(failuresIn), ...outside] };
}

function failuresIn(module: TestModule): string[] {
  const file = module.relativeModuleId;
  const failed = [...module.children.allTests("failed")];
  if (failed.length > 0 || module.state() !== "failed")
    return failed.map((test) => lineOf(`${file} > ${test.fullName}`, test.result().errors ?? []));
  // Not one test failed, but the file did: it could not be loaded, or a hook of a suite threw.
  const errors = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
  return [lineOf(file, errors)];
}

/** Longest line shown, in characters. */
const LONGEST_LINE = 300;

function lineOf(what: string, errors: readonly Pick<SerializedError, "message">[]): string {
  const [why = ""] = (errors[0]?.message ?? "").trim().split("\n");
  return (why === "" ? what : `${what}: ${why}`).replace(/\s+/g, " ").slice(0, LONGEST_LINE);
}
