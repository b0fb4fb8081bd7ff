import { readFileSync } from "node:fs";
import { UsageError } from "./exit-codes.ts";

/**
 * Asks for a password at the terminal, which shows nothing of it; or reads it from standard input, where that was asked for. It
 * is never an argument: those are seen by the whole machine.
 */
export async function readPassword(question: string, fromInput: boolean): Promise<string> {
  const password = fromInput ? readFileSync(0, "utf8").replace(/\r?\n$/, "") : await typed(question);
  if (password === "") throw new UsageError("No password was given.");
  return password;
}

/** Asks for a secret at the terminal, which shows nothing of it. @throws UsageError when nothing was typed. */
export async function readSecret(question: string): Promise<string> {
  const secret = (await typed(question)).trim();
  if (secret === "") throw new UsageError("Nothing was given.");
  return secret;
}

const ENTER = new Set(["\r", "\n", "\u0004"]);
const INTERRUPT = "\u0003";
const RUB_OUT = new Set(["\b", "\u007f"]);

async function typed(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    throw new UsageError(
      "The password is asked for at a terminal, and this is none. --password-stdin reads it from standard input.",
    );
  }
  // First, so that nothing is shown of what is typed the moment the question stands there.
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stderr.write(question);
  try {
    let password = "";
    for await (const keys of stdin) {
      for (const key of String(keys)) {
        if (key === INTERRUPT) throw new UsageError("Broken off: nothing was done.");
        if (ENTER.has(key)) return password;
        password = RUB_OUT.has(key) ? Array.from(password).slice(0, -1).join("") : password + key;
      }
    }
    return password;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}
