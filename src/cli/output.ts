import { onOneLine, printable } from "../core/frame.ts";
import type { Failure } from "./exit-codes.ts";

/** Where a command prints. Nothing that a peer wrote reaches the terminal raw. */
export interface Output {
  /** Text for people; every line may hold others' words. */
  say(text: string): void;
  /** One value for programs, on one line. */
  value(value: object): void;
  /** The same, laid out for a reader where one sits at a terminal. */
  page(value: object): void;
  /** Progress and warnings: beside the answer, so that the answer can be piped. */
  note(text: string): void;
  /** What is too long to be in memory as a whole, as it comes. */
  parts(parts: AsyncIterable<string>): Promise<void>;
  fail(failure: Failure, asJson: boolean): void;
}

/** Where the bytes go; tests and other programs may put something else. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly isTty: boolean;
}

/** This process's own. */
export function processTerminal(): Terminal {
  // Whoever reads our output may stop reading (`| head`): that ends us, and is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTty: process.stdout.isTTY,
  };
}

export function openOutput({ out, err, isTty }: Terminal): Output {
  return {
    say: (text) => out(`${printable(text)}\n`),
    note: (text) => err(`${printable(text)}\n`),
    value: (value) => out(`${safeJson(value)}\n`),
    page: (value) => out(`${safeJson(value, isTty ? 2 : 0)}\n`),
    async parts(parts) {
      for await (const part of parts) out(printable(part));
    },
    fail({ exit, ...failure }, asJson) {
      if (asJson) return err(`${safeJson({ error: { ...failure, exit } })}\n`);
      const { message, next, trace } = failure;
      err(`${printable([message, next, trace && `Trace ${trace}.`].filter(Boolean).join(" "))}\n`);
    },
  };
}

/** JSON in which characters that show nothing, or move a terminal, are written as escapes: the same value, safe to print. */
export function safeJson(value: object, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(/[^\n\x20-\x7e]/gu, (character) => {
    if (printable(character) === character) return character;
    return Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join("");
  });
}

/** Rows in columns, each cell on one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows.map((row) => row.map(onOneLine))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
