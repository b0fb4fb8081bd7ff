import { setTimeout as pause } from "node:timers/promises";
import { onOneLine } from "../../core/frame.ts";
import { whenOver } from "../ending.ts";
import { clientOf, openMonitorFiles } from "../session-files.ts";

/** What the monitor is run with. */
export interface MonitorParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** One line for the client, which wakes its agent. */
  readonly print: (line: string) => void;
}

/** How often (ms) it looks for a line. */
const LOOK_EVERY = 200;
/** In characters. */
const LONGEST_LINE = 200;

/**
 * Prints the lines that the session's bridge gives out: it asks no hub and holds no token. Ends when the client is gone and
 * never before, as the client would take that for news and not start it again.
 */
export async function runMonitor({ environment, print }: MonitorParts): Promise<void> {
  const parent = process.ppid;
  let isOver = false;
  void whenOver(Number(environment["CLAUDE_PID"]) || parent).finally(() => (isOver = true));
  const files = openMonitorFiles(clientOf(environment, parent) ?? "");
  // A second one is silent until the first is gone; so is one that has no folder.
  while (!isOver && !files?.takeLock()) await pause(LOOK_EVERY);
  while (!isOver && files) {
    for (const { number, text } of files.lines()) {
      if (number <= files.told()) continue;
      // Before it is printed: rather a line too few, for which the bridge has another way, than one twice.
      files.tell(number);
      if (isOurs(text)) print(text);
    }
    await pause(LOOK_EVERY);
  }
  files?.release();
}

/** As the bridge writes them: whatever else gets into such a file wakes nobody. */
function isOurs(text: unknown): text is string {
  return (
    typeof text === "string" &&
    text.startsWith("[crewroom] ") &&
    text.length <= LONGEST_LINE &&
    onOneLine(text) === text
  );
}
