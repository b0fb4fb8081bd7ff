/** What ran, one line each; and what could not run here, with the reason. */
export interface Report {
  /** Runs the checks of one client. What throws outside of them is a failure of its own. */
  section(name: string, work: () => Promise<void>): Promise<void>;
  /** Runs one check and prints `ok` or `FAILED` with the reason. Never throws. */
  check(name: string, work: () => void | Promise<void>): Promise<void>;
  /** Something of this machine keeps these checks from running: no failure, but said at the end. */
  leaveOut(what: string, why: string): void;
  /** Prints the summary, last the line `N passed, N failed`. Gives the exit code: 1 when something failed or nothing ran. */
  end(): number;
}

export function openReport(print: (line: string) => void = console.log): Report {
  const started = Date.now();
  const failures: string[] = [];
  const leftOut = new Set<string>();
  let passed = 0;
  let section = "";

  function fail(name: string, error: unknown) {
    failures.push(`${section}: ${name}: ${reasonOf(error).split("\n")[0]}`);
    print(`  FAILED  ${name}\n${reasonOf(error).replace(/^/gm, "          ")}`);
  }

  return {
    async section(name, work) {
      section = name;
      print(`\n${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${name}`);
      await work().catch((error: unknown) => fail("could not be set up", error));
    },
    async check(name, work) {
      try {
        await work();
      } catch (error) {
        return fail(name, error);
      }
      passed += 1;
      print(`  ok      ${name}`);
    },
    leaveOut(what, why) {
      leftOut.add(`${what}: ${why}`);
      print(`  --      ${what} did not run: ${why}`);
    },
    end() {
      print("");
      for (const failure of failures) print(`FAILED: ${failure}`);
      for (const line of leftOut) print(`Did not run: ${line}`);
      if (passed + failures.length === 0) print("Nothing ran.");
      print(`${passed} passed, ${failures.length} failed`);
      return failures.length > 0 || passed === 0 ? 1 : 0;
    },
  };
}

/** Longest reason shown, in characters: a client may answer with pages. */
const LONGEST_REASON = 1_000;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)} …` : text;
}
