import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** What a run came to. A file that cannot be loaded and an error outside every test are failures like a failing test. */
export interface Counts {
  passed: number;
  failed: number;
}

/** Writes the counts of a run to the file `CREWROOM_TEST_COUNTS`, for scripts/test.mjs, and sees to the exit code itself. */
export class CountingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counts = count(modules, unhandled.length);

    const file = process.env["CREWROOM_TEST_COUNTS"];
    if (file) writeFileSync(file, JSON.stringify(counts));
    if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
  }
}

function count(modules: readonly TestModule[], unhandled: number): Counts {
  const counts = { passed: 0, failed: unhandled };
  for (const module of modules) {
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") counts.passed += 1;
      if (state === "failed") failedHere += 1;
    }
    // Not one test failed, but the file did: it could not be loaded, or a hook of a suite threw.
    if (failedHere === 0 && module.state() === "failed") failedHere = 1;
    counts.failed += failedHere;
  }
  return counts;
}
