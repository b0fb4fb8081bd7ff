#!/usr/bin/env node

// src/agent/bridge/run-monitor.ts
import { setTimeout as pause } from "node:timers/promises";

// src/core/frame.ts
function printable(text) {
  return SHOWS.test(text) ? text : text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
function onOneLine(text) {
  return printable(text.replace(/\s+/g, " "));
}
var SHOWS = /^[\ufe0f\n\t\x20-\x7e\xa0-\xac\xae-\u034e\u0350-\u05ff\u0620-\u06dc\u0900-\u109f\u2010-\u2027\u202f-\u205f\u2070-\u27ff\u2801-\u3163\u3165-\ud7ff\uff01-\uff9f\u{1f000}-\u{1faff}]*$/u;
var HIDDEN = new RegExp("[[\\u2800\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Co}\\p{Default_Ignorable_Code_Point}]--[\\n\\t]--\\ufe0e--\\ufe0f]", "gv");

// src/agent/own-folder.ts
import { createHash } from "node:crypto";
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
function ownFolder() {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `crewroom-${user ?? "agent"}`);
  try {
    mkdirSync(folder, { mode: 448, recursive: true });
    const found = lstatSync(folder);
    const isOwn = user === void 0 || found.uid === user && (found.mode & 63) === 0;
    return isOwn && found.isDirectory() ? folder : void 0;
  } catch {
    return void 0;
  }
}
function nameOf(owner) {
  return createHash("sha256").update(JSON.stringify(owner)).digest("hex").slice(0, 32);
}
function takeLock(file, longest) {
  if (isAbandoned(file, longest)) rmSync(file, { force: true });
  return create(file, String(process.pid));
}
function isAlive(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
function isAbandoned(file, longest) {
  const since = modifiedAt(file);
  if (since === void 0) return false;
  if (longest !== void 0 && Math.abs(Date.now() - since) > longest) return true;
  const owner = Number(readIfThere(file));
  return owner > 0 && !isAlive(owner);
}
function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return void 0;
  }
}
function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
function create(file, text) {
  try {
    const made = openSync(file, "wx", 384);
    writeFileSync(made, text);
    closeSync(made);
    return true;
  } catch {
    return false;
  }
}

// src/agent/ending.ts
var LOOK_EVERY = 1e3;
function whenOver(...others) {
  const parent = process.ppid;
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.once(signal, () => resolve());
    const looking = setInterval(() => {
      if (process.ppid === parent && [parent, ...others].every(isAlive)) return;
      clearInterval(looking);
      resolve();
    }, LOOK_EVERY);
  });
}

// src/agent/session-files.ts
import { readdirSync, renameSync, rmSync as rmSync2, statSync as statSync2, writeFileSync as writeFileSync2 } from "node:fs";
import { join as join2 } from "node:path";
function clientOf(environment, parent) {
  const inbox = environment["CLAUDE_CODE_MESSAGING_SOCKET"];
  const id = environment["CLAUDE_PID"] ?? parent?.toString();
  return inbox || (id === void 0 ? void 0 : `process ${id}`);
}
var SIGNAL_LIVES = 6e4;
function openMonitorFiles(client) {
  const folder = ownFolder();
  if (folder === void 0) return void 0;
  const prefix = prefixOf(client);
  const lock = join2(folder, `${prefix}monitor.lock`);
  const told = join2(folder, `${prefix}monitor.told`);
  return {
    takeLock: () => takeLock(lock),
    release() {
      for (const file of [lock, told]) rmSync2(file, { force: true });
    },
    lines: () => readdirSync(folder).filter((name) => name.startsWith(prefix) && name.endsWith(".signal")).flatMap((name) => readSignal(join2(folder, name))?.line ?? []).toSorted((a, b) => a.number - b.number),
    told: () => Number(readIfThere(told) ?? 0) || 0,
    tell: (number) => writeWhole(told, number),
    isWatched() {
      const owner = Number(readIfThere(lock));
      return owner > 0 && isAlive(owner);
    }
  };
}
function prefixOf(client) {
  return `bridge-${nameOf([client]).slice(0, 16)}-`;
}
function readSignal(file) {
  const age = Date.now() - (statSync2(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (Math.abs(age) > SIGNAL_LIVES) return void 0;
  const signal = parse(readIfThere(file));
  return signal && typeof signal.pid === "number" && isAlive(signal.pid) ? signal : void 0;
}
function parse(text) {
  try {
    const value = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? value : void 0;
  } catch {
    return void 0;
  }
}
function writeWhole(file, value) {
  const scratch = `${file}.${process.pid}`;
  try {
    writeFileSync2(scratch, JSON.stringify(value), { mode: 384 });
    renameSync(scratch, file);
  } catch {
    rmSync2(scratch, { force: true });
  }
}

// src/agent/bridge/run-monitor.ts
var LOOK_EVERY2 = 200;
var LONGEST_LINE = 200;
async function runMonitor({ environment, print }) {
  const parent = process.ppid;
  let isOver = false;
  void whenOver(Number(environment["CLAUDE_PID"]) || parent).finally(() => isOver = true);
  const files = openMonitorFiles(clientOf(environment, parent) ?? "");
  while (!isOver && !files?.takeLock()) await pause(LOOK_EVERY2);
  while (!isOver && files) {
    for (const { number, text } of files.lines()) {
      if (number <= files.told()) continue;
      files.tell(number);
      if (isOurs(text)) print(text);
    }
    await pause(LOOK_EVERY2);
  }
  files?.release();
}
function isOurs(text) {
  return typeof text === "string" && text.startsWith("[crewroom] ") && text.length <= LONGEST_LINE && onOneLine(text) === text;
}

// src/agent/monitor-main.ts
process.stdout.on("error", () => process.exit(0));
await runMonitor({ environment: process.env, print: (line) => void process.stdout.write(`${line}
`) });
process.exit(0);
