import {
  type DestinationStream,
  destination as openDestination,
  type Logger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from "pino";

/** How much is logged. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** One JSON object a line. Facts first, then the sentence: `log.warn({ cause }, "housekeeping failed")`. */
export type Log = Pick<Logger, "debug" | "info" | "warn" | "error" | "isLevelEnabled">;

/** How a call ended, as logged: one line each. */
export interface CallLine {
  readonly operation: string;
  /** `handle@organization`; `-` when nobody signed in. */
  readonly who: string;
  /** `ok` or the error's code. */
  readonly outcome: string;
  readonly ms: number;
  readonly trace: string;
}

/** Whatever has the form of one of our secrets, its checksum right or not. */
const SECRET = /crw_([a-z]{3})_[0-9A-Za-z]{36}/g;
/** Longest line (characters): a cause with its stack fits, a flood does not. */
const LONGEST_LINE = 8_192;

/** Opens the log. Lines go to standard output; every text with the form of a token is covered before it is written. */
export function openLog(
  level: LogLevel,
  destination: DestinationStream = openDestination({ dest: 1, sync: true }),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { cause: stdSerializers.err },
      hooks: { streamWrite: tidy },
    },
    destination,
  );
}

/** Writes the line of a call: at level `info`, what the caller could not do as well. */
export function logCall(log: Log, line: CallLine) {
  if (log.isLevelEnabled("info")) log.info({ ...line, ms: Math.round(line.ms * 100) / 100 }, "call");
}

function tidy(line: string): string {
  const covered = line.includes("crw_") ? line.replace(SECRET, "crw_$1_[masked]") : line;
  if (covered.length <= LONGEST_LINE) return covered;
  return `${JSON.stringify({ level: "error", msg: "a line too long to log", begins: covered.slice(0, 2_048) })}\n`;
}
