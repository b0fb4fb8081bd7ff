import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Files as they are to be, until `commit` writes all of them: what goes wrong before then has changed nothing. */
export interface Files {
  /** Undefined when there is none. */
  read(file: string): string | undefined;
  /** Undefined takes the file away. `secret`: nobody else may read it. */
  put(file: string, text: string | undefined, secret?: boolean): void;
  /** Writes what differs, each file whole or not at all, and gives their names. */
  commit(): string[];
}

export function openFiles(): Files {
  const texts = new Map<string, string | undefined>();
  const secrets = new Set<string>();

  return {
    read: (file) => (texts.has(file) ? texts.get(file) : readIfThere(file)),
    put(file, text, secret = false) {
      texts.set(file, text);
      if (secret) secrets.add(file);
    },
    commit() {
      const changed = [...texts].filter(([file, text]) => text !== readIfThere(file) || isOpen(file, secrets));
      for (const [file, text] of changed) {
        if (text === undefined) rmSync(file, { force: true });
        else writeWhole(file, text, secrets.has(file));
      }
      return changed.map(([file]) => file);
    },
  };
}

/** Whether others may read a file that holds a secret. Windows has other rights, and hands homes to their owners. */
function isOpen(file: string, secrets: ReadonlySet<string>): boolean {
  if (!secrets.has(file) || process.platform === "win32") return false;
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

/** @throws the system's error for a file that is there and cannot be read. */
function readIfThere(file: string): string | undefined {
  return statSync(file, { throwIfNoEntry: false }) && readFileSync(file, "utf8");
}

/** A link to the file stays one: people keep such files elsewhere. */
function writeWhole(file: string, text: string, secret: boolean) {
  const before = statSync(file, { throwIfNoEntry: false });
  const mode = secret ? 0o600 : (before?.mode ?? 0o644) & 0o777;
  mkdirSync(dirname(file), { recursive: true, ...(secret && { mode: 0o700 }) });
  const target = before ? realpathSync(file) : file;
  const scratch = `${target}.${process.pid}.new`;
  try {
    writeFileSync(scratch, text, { mode });
    chmodSync(scratch, mode); // the process may mask what it makes
    renameSync(scratch, target);
  } catch (error) {
    rmSync(scratch, { force: true });
    throw error;
  }
}
