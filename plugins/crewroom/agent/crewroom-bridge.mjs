#!/usr/bin/env node

// src/agent/bridge/run-bridge.ts
import { randomUUID } from "node:crypto";
import { setTimeout as pause2 } from "node:timers/promises";

// src/agent/adapters/codex-queue.ts
import { spawn } from "node:child_process";
var PATIENCE = 15e3;
function queueFor(thread, text2, program = "codex") {
  return new Promise((resolve) => {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(thread)) return resolve(false);
    const args = ["queue", "--thread", thread, "--message", text2];
    spawn(program, args, { stdio: "ignore", timeout: PATIENCE, shell: false }).on("error", () => resolve(false)).on("close", (code) => resolve(code === 0));
  });
}

// src/agent/credentials.ts
import { readFileSync } from "node:fs";
function withCredentials(args, environment) {
  const path = valueOf("--credentials", args);
  const found = path === void 0 ? void 0 : readCredentials(path);
  if (!found) return environment;
  return { ...environment, CREWROOM_URL: found.url, CREWROOM_TOKEN: found.token, CREWROOM_ROOM: found.room };
}
function readCredentials(path) {
  try {
    const { url, token, room } = JSON.parse(readFileSync(path, "utf8"));
    if (typeof url !== "string" || typeof token !== "string") return void 0;
    return { url, token, ...typeof room === "string" && { room } };
  } catch {
    return void 0;
  }
}
function valueOf(name, args) {
  const at = args.indexOf(name);
  return at >= 0 ? args[at + 1] : args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
}

// src/agent/own-folder.ts
import { createHash } from "node:crypto";
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync as readFileSync2,
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
    return readFileSync2(file, "utf8");
  } catch {
    return void 0;
  }
}
function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
function create(file, text2) {
  try {
    const made = openSync(file, "wx", 384);
    writeFileSync(made, text2);
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

// src/agent/light-fetch.ts
import { Agent, request as plainRequest } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
var lightFetch = async (input, { method = "GET", body, headers, signal } = {}) => {
  if (typeof input !== "string" || body && typeof body !== "string") throw new TypeError("Only texts are sent.");
  const incoming = await send(input, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    body: body ?? "",
    signal: signal ?? void 0
  });
  return answerOf(incoming);
};
var plainAgent = new Agent({ keepAlive: true });
async function send(url, { method, headers, body, signal }) {
  const { request, agent } = url.startsWith("https:") ? await secure() : { request: plainRequest, agent: plainAgent };
  const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request(url, { method, headers: { ...headers, ...length }, agent, ...signal && { signal } }, resolve).on("error", reject).end(body);
  });
}
var secured;
function secure() {
  return secured ??= openSecure();
}
async function openSecure() {
  const https = await import("node:https");
  return { request: https.request, agent: new https.Agent({ keepAlive: true }) };
}
function answerOf(incoming) {
  const { statusCode: status = 0 } = incoming;
  const parts = {
    ok: status >= 200 && status < 300,
    status,
    get body() {
      return Readable.toWeb(incoming);
    },
    text: () => text(incoming),
    json: async () => JSON.parse(await text(incoming))
  };
  return parts;
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
function openSessionFiles(client, owner) {
  const folder = ownFolder();
  if (folder === void 0) return void 0;
  const base = join2(folder, `${prefixOf(client)}${nameOf(owner)}`);
  return {
    takeLock: () => takeLock(`${base}.lock`),
    release() {
      for (const ending of ["lock", "signal", "note"]) rmSync2(`${base}.${ending}`, { force: true });
    },
    readSignal: () => readSignal(`${base}.signal`),
    writeSignal: (signal) => writeWhole(`${base}.signal`, signal),
    readNote: () => parse(readIfThere(`${base}.note`)) ?? {},
    // written below
    writeNote: (note) => writeWhole(`${base}.note`, note),
    forgetNote: () => rmSync2(`${base}.note`, { force: true })
  };
}
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
function parse(text2) {
  try {
    const value = JSON.parse(text2 ?? "");
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

// src/client/hub-client.ts
var HubRefusal = class extends Error {
  code;
  status;
  next;
  data;
  trace;
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.next = error.next;
    this.data = error.data ?? {};
    this.trace = error.trace;
  }
};
var HubUnreachable = class extends Error {
};
async function callByName(connection, operation, input, signal) {
  const response = await reach(connection, `/api/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
    ...signal && { signal }
  });
  const answer = await jsonObject(response);
  if (answer && response.ok) return answer;
  throw refusalFrom(connection, response, answer);
}
async function reach({ url, token, session, path: caller, fetch: carry = fetch }, path, init) {
  const headers = new Headers(init.headers);
  if (token) headers.set("authorization", `Bearer ${token}`);
  if (session) headers.set("x-crewroom-session", session);
  if (caller) headers.set("x-crewroom-path", caller);
  try {
    return await carry(url.replace(/\/+$/, "") + path, { ...init, headers, redirect: "error" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new HubUnreachable(`No Crewroom can be reached at ${url}: ${reasonOf(error)}.`, { cause: error });
  }
}
async function refusalOf(connection, response) {
  return refusalFrom(connection, response, await jsonObject(response));
}
function refusalFrom({ url }, response, answer) {
  const error = answer?.["error"];
  if (isRefusalBody(error)) return new HubRefusal(response.status, error);
  return new HubUnreachable(`What answers at ${url} is not a Crewroom (HTTP ${response.status}).`);
}
async function jsonObject(response) {
  try {
    const body = await response.json();
    return isObject(body) ? body : void 0;
  } catch {
    return void 0;
  }
}
function isRefusalBody(value) {
  return isObject(value) && typeof value["code"] === "string" && typeof value["message"] === "string";
}
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function reasonOf(error) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && cause.message === "" ? String(cause.code) : cause.message;
}

// src/agent/watch/follow.ts
import { setTimeout as pause } from "node:timers/promises";

// node_modules/eventsource-parser/dist/errors.js
var ParseError = class extends Error {
  constructor(message, options) {
    super(message);
    this.name = "ParseError";
    this.type = options.type;
    this.field = options.field;
    this.value = options.value;
    this.line = options.line;
  }
};

// node_modules/eventsource-parser/dist/parse.js
var LF = 10;
var CR = 13;
var SPACE = 32;
var MAX_FIELD_PREFIX_LENGTH = 6;
function createParser(config) {
  if (typeof config === "function") {
    throw new TypeError("`config` must be an object, got a function instead. Did you mean `createParser({onEvent: fn})`?");
  }
  const { maxBufferSize, onComment, onError, onEvent, onId, onRetry } = config;
  const pendingFragments = [];
  let pendingFragmentsLength = 0;
  let bomPrefix = "";
  let id;
  let data = "";
  let dataLines = 0;
  let eventType;
  let terminated = false;
  let skippingLine = false;
  let skipNextLineFeed = false;
  function feed(chunk) {
    if (terminated) {
      throw new Error("Cannot feed parser: it was terminated after exceeding the configured max buffer size. Call `reset()` to resume parsing.");
    }
    if (bomPrefix !== void 0) {
      chunk = bomPrefix + chunk;
      if (chunk === "" || chunk === "\xEF" || chunk === "\xEF\xBB") {
        bomPrefix = chunk;
        return;
      }
      bomPrefix = void 0;
      chunk = chunk.replace(/^(?:\uFEFF|\xEF\xBB\xBF)/, "");
    }
    if (skippingLine || skipNextLineFeed) {
      chunk = resumeAfterSkip(chunk);
      if (!chunk) {
        return;
      }
    }
    if (!pendingFragments.length) {
      const trailing = processLines(chunk);
      if (trailing !== "") {
        storeTrailing(trailing);
      }
      checkForBufferOverflow();
      return;
    }
    if (chunk.indexOf("\n") === -1 && chunk.indexOf("\r") === -1) {
      if (pendingFragmentsLength < MAX_FIELD_PREFIX_LENGTH) {
        const head = pendingFragments.join("") + chunk.slice(0, MAX_FIELD_PREFIX_LENGTH - pendingFragmentsLength);
        if (!shouldBufferTrailing(head)) {
          pendingFragments.length = 0;
          pendingFragmentsLength = 0;
          skippingLine = true;
          return;
        }
      }
      pendingFragments.push(chunk);
      pendingFragmentsLength += chunk.length;
      checkForBufferOverflow();
      return;
    }
    pendingFragments.push(chunk);
    const input = pendingFragments.join("");
    pendingFragments.length = 0;
    pendingFragmentsLength = 0;
    storeTrailing(processLines(input));
    checkForBufferOverflow();
  }
  function resumeAfterSkip(chunk) {
    if (chunk.length === 0) {
      return chunk;
    }
    if (skipNextLineFeed) {
      skipNextLineFeed = false;
      return chunk.charCodeAt(0) === LF ? chunk.slice(1) : chunk;
    }
    const crIndex = chunk.indexOf("\r");
    const lfIndex = chunk.indexOf("\n");
    const lineEnd = crIndex === -1 ? lfIndex : lfIndex === -1 ? crIndex : crIndex < lfIndex ? crIndex : lfIndex;
    if (lineEnd === -1) {
      return "";
    }
    if (lineEnd === chunk.length - 1 && chunk.charCodeAt(lineEnd) === CR) {
      skippingLine = false;
      skipNextLineFeed = true;
      return "";
    }
    skippingLine = false;
    return chunk.slice(lineEnd + (chunk.charCodeAt(lineEnd) === CR && chunk.charCodeAt(lineEnd + 1) === LF ? 2 : 1));
  }
  function storeTrailing(trailing) {
    if (!trailing)
      return;
    if (trailing.charCodeAt(trailing.length - 1) === CR) {
      parseLine(trailing, 0, trailing.length - 1);
      if (checkForBufferOverflow())
        return;
      skipNextLineFeed = true;
      return;
    }
    if (shouldBufferTrailing(trailing)) {
      pendingFragments.push(trailing);
      pendingFragmentsLength = trailing.length;
      return;
    }
    skippingLine = true;
  }
  function shouldBufferTrailing(trailing) {
    const firstCharCode = trailing.charCodeAt(0);
    return firstCharCode === 58 && !!onComment || firstCharCode === 100 && isPotentialField(trailing, "data") || firstCharCode === 101 && isPotentialField(trailing, "event") || firstCharCode === 105 && isPotentialField(trailing, "id") || firstCharCode === 114 && isPotentialField(trailing, "retry");
  }
  function checkForBufferOverflow() {
    if (terminated)
      return true;
    if (maxBufferSize === void 0)
      return false;
    if (pendingFragmentsLength + data.length <= maxBufferSize)
      return false;
    terminated = true;
    pendingFragments.length = 0;
    pendingFragmentsLength = 0;
    id = void 0;
    data = "";
    dataLines = 0;
    eventType = void 0;
    skippingLine = false;
    skipNextLineFeed = false;
    onError === null || onError === void 0 ? void 0 : onError(new ParseError(`Buffered data exceeded max buffer size of ${maxBufferSize} characters`, {
      type: "max-buffer-size-exceeded"
    }));
    return true;
  }
  function processLines(chunk) {
    let searchIndex = 0;
    if (chunk.indexOf("\r") === -1) {
      let lfIndex2 = chunk.indexOf("\n", searchIndex);
      while (lfIndex2 !== -1) {
        if (searchIndex === lfIndex2) {
          if (id !== void 0) {
            onId === null || onId === void 0 ? void 0 : onId(id);
          }
          if (dataLines > 0) {
            onEvent === null || onEvent === void 0 ? void 0 : onEvent({ id, event: eventType, data });
          }
          id = void 0;
          data = "";
          dataLines = 0;
          eventType = void 0;
          searchIndex = lfIndex2 + 1;
          lfIndex2 = chunk.indexOf("\n", searchIndex);
          continue;
        }
        const firstCharCode = chunk.charCodeAt(searchIndex);
        if (isDataPrefix(chunk, searchIndex, firstCharCode)) {
          const valueStart = chunk.charCodeAt(searchIndex + 5) === SPACE ? searchIndex + 6 : searchIndex + 5;
          const value = chunk.slice(valueStart, lfIndex2);
          if (dataLines === 0 && chunk.charCodeAt(lfIndex2 + 1) === LF) {
            if (id !== void 0) {
              onId === null || onId === void 0 ? void 0 : onId(id);
            }
            onEvent === null || onEvent === void 0 ? void 0 : onEvent({ id, event: eventType, data: value });
            id = void 0;
            data = "";
            eventType = void 0;
            searchIndex = lfIndex2 + 2;
            lfIndex2 = chunk.indexOf("\n", searchIndex);
            continue;
          }
          data = dataLines === 0 ? value : `${data}
${value}`;
          dataLines++;
        } else if (isEventPrefix(chunk, searchIndex, firstCharCode)) {
          eventType = chunk.slice(chunk.charCodeAt(searchIndex + 6) === SPACE ? searchIndex + 7 : searchIndex + 6, lfIndex2) || void 0;
        } else {
          parseLine(chunk, searchIndex, lfIndex2);
        }
        if (checkForBufferOverflow())
          return "";
        searchIndex = lfIndex2 + 1;
        lfIndex2 = chunk.indexOf("\n", searchIndex);
      }
      return chunk.slice(searchIndex);
    }
    let crIndex = chunk.indexOf("\r", searchIndex);
    let lfIndex = chunk.indexOf("\n", searchIndex);
    while (searchIndex < chunk.length) {
      let lineEnd = -1;
      if (crIndex !== -1 && lfIndex !== -1) {
        lineEnd = crIndex < lfIndex ? crIndex : lfIndex;
      } else if (crIndex !== -1) {
        if (crIndex === chunk.length - 1) {
          lineEnd = -1;
        } else {
          lineEnd = crIndex;
        }
      } else if (lfIndex !== -1) {
        lineEnd = lfIndex;
      }
      if (lineEnd === -1) {
        break;
      }
      parseLine(chunk, searchIndex, lineEnd);
      if (checkForBufferOverflow())
        return "";
      searchIndex = lineEnd + 1;
      if (chunk.charCodeAt(searchIndex - 1) === CR && chunk.charCodeAt(searchIndex) === LF) {
        searchIndex++;
      }
      if (crIndex !== -1 && crIndex < searchIndex) {
        crIndex = chunk.indexOf("\r", searchIndex);
      }
      if (lfIndex !== -1 && lfIndex < searchIndex) {
        lfIndex = chunk.indexOf("\n", searchIndex);
      }
    }
    return chunk.slice(searchIndex);
  }
  function parseLine(chunk, start, end) {
    if (start === end) {
      dispatchEvent();
      return;
    }
    const firstCharCode = chunk.charCodeAt(start);
    if (isDataPrefix(chunk, start, firstCharCode)) {
      const valueStart = chunk.charCodeAt(start + 5) === SPACE ? start + 6 : start + 5;
      const value2 = chunk.slice(valueStart, end);
      data = dataLines === 0 ? value2 : `${data}
${value2}`;
      dataLines++;
      return;
    }
    if (isEventPrefix(chunk, start, firstCharCode)) {
      eventType = chunk.slice(chunk.charCodeAt(start + 6) === SPACE ? start + 7 : start + 6, end) || void 0;
      return;
    }
    if (firstCharCode === 105 && chunk.charCodeAt(start + 1) === 100 && chunk.charCodeAt(start + 2) === 58) {
      const value2 = chunk.slice(chunk.charCodeAt(start + 3) === SPACE ? start + 4 : start + 3, end);
      if (!value2.includes("\0"))
        id = value2;
      return;
    }
    if (firstCharCode === 58) {
      if (onComment) {
        const line2 = chunk.slice(start, end);
        onComment(line2.slice(chunk.charCodeAt(start + 1) === SPACE ? 2 : 1));
      }
      return;
    }
    const line = chunk.slice(start, end);
    const fieldSeparatorIndex = line.indexOf(":");
    if (fieldSeparatorIndex === -1) {
      processField(line, "", line);
      return;
    }
    const field = line.slice(0, fieldSeparatorIndex);
    const offset = line.charCodeAt(fieldSeparatorIndex + 1) === SPACE ? 2 : 1;
    const value = line.slice(fieldSeparatorIndex + offset);
    processField(field, value, line);
  }
  function processField(field, value, line) {
    switch (field) {
      case "event":
        eventType = value || void 0;
        break;
      case "data":
        data = dataLines === 0 ? value : `${data}
${value}`;
        dataLines++;
        break;
      case "id":
        if (!value.includes("\0"))
          id = value;
        break;
      case "retry":
        if (/^\d+$/.test(value)) {
          onRetry === null || onRetry === void 0 ? void 0 : onRetry(parseInt(value, 10));
        } else {
          onError === null || onError === void 0 ? void 0 : onError(new ParseError(`Invalid \`retry\` value: "${value}"`, {
            type: "invalid-retry",
            value,
            line
          }));
        }
        break;
      default:
        onError === null || onError === void 0 ? void 0 : onError(new ParseError(`Unknown field "${field.length > 20 ? `${field.slice(0, 20)}\u2026` : field}"`, { type: "unknown-field", field, value, line }));
        break;
    }
  }
  function dispatchEvent() {
    if (id !== void 0) {
      onId === null || onId === void 0 ? void 0 : onId(id);
    }
    if (dataLines > 0) {
      onEvent === null || onEvent === void 0 ? void 0 : onEvent({
        id,
        event: eventType,
        data
      });
    }
    id = void 0;
    data = "";
    dataLines = 0;
    eventType = void 0;
  }
  function reset(options = {}) {
    if (options.consume && pendingFragments.length > 0) {
      const incompleteLine = pendingFragments.join("");
      parseLine(incompleteLine, 0, incompleteLine.length);
    }
    bomPrefix = "";
    id = void 0;
    data = "";
    dataLines = 0;
    eventType = void 0;
    pendingFragments.length = 0;
    pendingFragmentsLength = 0;
    terminated = false;
    skippingLine = false;
    skipNextLineFeed = false;
  }
  return { feed, reset };
}
function isDataPrefix(chunk, i, firstCharCode) {
  return firstCharCode === 100 && chunk.charCodeAt(i + 1) === 97 && chunk.charCodeAt(i + 2) === 116 && chunk.charCodeAt(i + 3) === 97 && chunk.charCodeAt(i + 4) === 58;
}
function isEventPrefix(chunk, i, firstCharCode) {
  return firstCharCode === 101 && chunk.charCodeAt(i + 1) === 118 && chunk.charCodeAt(i + 2) === 101 && chunk.charCodeAt(i + 3) === 110 && chunk.charCodeAt(i + 4) === 116 && chunk.charCodeAt(i + 5) === 58;
}
function isPotentialField(line, field) {
  let i = 1;
  while (i < line.length && i < field.length) {
    if (line.charCodeAt(i) !== field.charCodeAt(i)) {
      return false;
    }
    i++;
  }
  return line.length <= field.length || line.charCodeAt(field.length) === 58;
}

// src/client/event-stream.ts
var DEAD_AFTER = 45e3;
var FIRST_PAUSE = 500;
var LONGEST_PAUSE = 3e4;
var LONGEST_FRAME = 8 * 1024 * 1024;
async function* followStream(connection, options = {}) {
  const { signal, onChange } = options;
  let lastId;
  let failures = 0;
  let pause3 = FIRST_PAUSE;
  while (!signal?.aborted) {
    try {
      for await (const news of openOnce(connection, options, lastId)) {
        if ("open" in news) onChange?.("open");
        else if ("pause" in news) pause3 = news.pause;
        else if ("place" in news) lastId = news.place;
        else {
          failures = 0;
          yield news;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isWorthAnotherTry(error)) throw error;
      failures += 1;
      const retryIn = pauseBefore(failures, pause3, error);
      onChange?.({ lost: error instanceof Error ? error.message : String(error), retryIn });
      await sleep(retryIn, signal);
    }
  }
}
async function* openOnce(connection, options, lastId) {
  const line = new AbortController();
  const hangUp = () => line.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", hangUp, { once: true });
  let watchdog = setTimeout(() => line.abort(new HubUnreachable("The stream fell silent.")), DEAD_AFTER);
  try {
    const response = await reach(connection, pathOf(options), {
      headers: { accept: "text/event-stream", ...lastId !== void 0 && { "last-event-id": lastId } },
      signal: line.signal
    });
    if (!response.ok || !response.body) throw await refusalOf(connection, response);
    yield { open: true };
    const news = [];
    const parser = createParser({
      onId: (place) => void news.push({ place }),
      onEvent: ({ event = "message", data, id }) => void news.push({ event, data, id }),
      onRetry: (ms) => void news.push({ pause: Math.min(ms, LONGEST_PAUSE) }),
      maxBufferSize: LONGEST_FRAME
    });
    for await (const chunk of piecesOf(response.body)) {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => line.abort(new HubUnreachable("The stream fell silent.")), DEAD_AFTER);
      parser.feed(chunk);
      yield* news.splice(0);
    }
    throw new HubUnreachable("The hub ended the stream.");
  } finally {
    clearTimeout(watchdog);
    options.signal?.removeEventListener("abort", hangUp);
    line.abort();
  }
}
async function* piecesOf(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader.releaseLock();
  }
}
function pathOf({ room, after, elsewhere, snapshots }) {
  const query = new URLSearchParams({
    ...room !== void 0 && { room },
    ...after !== void 0 && { after },
    ...elsewhere && { elsewhere: "1" },
    ...snapshots && { snapshots: "1" }
  });
  return query.size > 0 ? `/v1/stream?${query.toString()}` : "/v1/stream";
}
function isWorthAnotherTry(error) {
  return !(error instanceof HubRefusal) || error.status === 429 || error.status >= 500;
}
function pauseBefore(failures, first, error) {
  const asked = error instanceof HubRefusal ? Number(error.data["seconds"] ?? 0) * 1e3 : 0;
  const most = Math.min(first * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE);
  return Math.max(asked, Math.round(most / 2 + Math.random() * most / 2));
}
function sleep(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}

// src/agent/watch/follow.ts
var BEGINS_ANEW = /* @__PURE__ */ new Set(["epoch_changed", "cursor_expired"]);
var FIRST_PAUSE2 = 1e3;
var LONGEST_PAUSE2 = 3e4;
var AFTER_REFUSAL = 3e5;
async function followForEver(connection, named, follower) {
  let after;
  let patience = FIRST_PAUSE2;
  for (; ; ) {
    try {
      after ??= await begin(connection, named, follower);
      for await (const frame of followStream(connection, { room: named, after, onChange: tellOf(follower) })) {
        after = frame.id ?? after;
        patience = FIRST_PAUSE2;
        follower.brought(frame);
      }
    } catch (error) {
      follower.lost(error instanceof Error ? error.message : String(error));
      if (error instanceof HubRefusal && isForGood(error)) {
        follower.refused(error.code);
        if (BEGINS_ANEW.has(error.code)) after = void 0;
        else await pause(AFTER_REFUSAL);
      } else {
        await pause(patience);
        patience = Math.min(patience * 2, LONGEST_PAUSE2);
      }
    }
  }
}
async function begin(connection, named, { began }) {
  const { user_id, owner, default_room } = await callByName(connection, "whoami", {});
  const person = typeof owner === "string" ? owner : void 0;
  began({ handle: String(user_id), owner: person, room: named ?? String(default_room) });
  const place = await callByName(connection, "read_events", { limit: 1, ...named !== void 0 && { room: named } });
  return String(place["cursor"]);
}
function tellOf({ opened, lost }) {
  return (change) => change === "open" ? opened() : lost(change.lost);
}
function isForGood({ status }) {
  return status !== 429 && status < 500;
}

// src/agent/watch/names.ts
function namesMatcher(handle, { names, alias }) {
  const digits = alias && new RegExp("\\p{L}", "u").test(handle) ? /\d{4,}/.exec(handle)?.[0] : void 0;
  const all = [handle, ...digits === void 0 ? [] : [digits], ...names].toSorted((a, b) => b.length - a.length);
  const either = all.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${either})(?![\\p{L}\\p{N}_-])`, "iu");
  return (text2) => pattern.test(text2);
}

// src/core/frame.ts
function printable(text2) {
  return SHOWS.test(text2) ? text2 : text2.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
function onOneLine(text2) {
  return printable(text2.replace(/\s+/g, " "));
}
var SHOWS = /^[\ufe0f\n\t\x20-\x7e\xa0-\xac\xae-\u034e\u0350-\u05ff\u0620-\u06dc\u0900-\u109f\u2010-\u2027\u202f-\u205f\u2070-\u27ff\u2801-\u3163\u3165-\ud7ff\uff01-\uff9f\u{1f000}-\u{1faff}]*$/u;
var HIDDEN = new RegExp("[[\\u2800\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Co}\\p{Default_Ignorable_Code_Point}]--[\\n\\t]--\\ufe0e--\\ufe0f]", "gv");

// src/agent/watch/notice.ts
function openNotices(reader) {
  let body = { id: 0, text: "" };
  return ({ event, data }) => {
    if (event === "chat") {
      const { id: id2, body: text3 } = JSON.parse(data);
      body = { id: id2, text: text3 };
      return void 0;
    }
    if (event === "question") {
      const { id: id2, kind: kind2, actor: actor2, message_id: message_id2, by_you: by_you2, for_you: for_you2 } = JSON.parse(data);
      const isOwn = by_you2 || actor2 === reader().owner && !for_you2;
      return isOwn ? void 0 : noticeOf(id2, `q${message_id2} ${kind2}`, actor2, true);
    }
    if (event !== "activity") return void 0;
    const { id, kind, actor, task_id, message_id, file_id, detail, by_you, for_you } = JSON.parse(
      data
    );
    if (by_you || kind === "wakes_paused") return void 0;
    const subject = task_id === null ? file_id === void 0 ? "" : `f${file_id} ` : `#${task_id} `;
    const what = kind === "message" ? `m${message_id}` : `${subject}${kind}`;
    const text2 = kind === "message" && message_id === body.id ? body.text : detail;
    return noticeOf(id, what, actor, for_you === true || reader().isNamed(text2));
  };
}
function noticeOf(id, what, by, forAgent) {
  return { id, what: onOneLine(what), by: onOneLine(by), forAgent };
}

// src/agent/watch/outage.ts
var TOLD_AFTER = 12e4;
function openOutage(print) {
  let since;
  let isTold = false;
  return {
    lost(now) {
      since ??= now;
    },
    back(room) {
      if (isTold) print(`[crewroom] ${room}: the hub is back; what came meanwhile follows`);
      since = void 0;
      isTold = false;
    },
    tell(room, now) {
      if (isTold || since === void 0 || now - since < TOLD_AFTER) return;
      isTold = true;
      print(
        `[crewroom] ${room}: the hub has not been reached for two minutes; until it is back nothing wakes this session`
      );
    }
  };
}

// src/agent/watch/lines.ts
var MENTION_GAP = 5e3;
var PAUSE = 6e4;
var MOST_KEPT = 200;
var LONGEST_LINE = 200;
function openLines(print) {
  let waiting = [];
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let printedAt = Number.NEGATIVE_INFINITY;
  let mentionedAt = Number.NEGATIVE_INFINITY;
  return {
    /** What waits was read by another way. */
    forget() {
      waiting = [];
    },
    take(notice, { mode }) {
      if (mode !== "all" && !(mode === "mentions" && notice.forAgent)) return;
      waiting.push(notice);
      pausedUntil = Number.NEGATIVE_INFINITY;
    },
    /** These were not told: they wait for a better time. */
    putBack(notices, now) {
      waiting = [...notices, ...waiting].slice(-MOST_KEPT);
      pausedUntil = now + PAUSE;
    },
    /** Prints what is due. `now` is a monotonic clock in ms. */
    tell({ room, mode, minInterval, mentionsFirst }, now) {
      if (mode === "hook-only") waiting = [];
      if (waiting.length === 0 || now < pausedUntil) return;
      const isForAgent = waiting.some(({ forAgent }) => forAgent);
      const isFirst = isForAgent && mentionsFirst && now - mentionedAt >= Math.min(MENTION_GAP, minInterval);
      if (!isFirst && now - printedAt < minInterval) return;
      const due = { line: writeLine(room, waiting), notices: waiting };
      waiting = [];
      printedAt = now;
      if (isForAgent) mentionedAt = now;
      print(due);
    }
  };
}
function writeLine(room, notices) {
  const forAgent = notices.filter((notice) => notice.forAgent);
  const rest = notices.filter((notice) => !notice.forAgent);
  const count = forAgent.length > 0 ? `${notices.length} new, ${forAgent.length} for you` : `${notices.length} new`;
  const head = `[crewroom] ${room}: ${count}`;
  const tail = "; whats_new has them";
  let named = "";
  for (const { what, by } of [...forAgent.toReversed(), ...rest.toReversed()]) {
    const next = `${named === "" ? "" : `${named}, `}${what} by ${by}`;
    if (`${head} (${next}, \u2026)${tail}`.length > LONGEST_LINE)
      return `${head}${named === "" ? "" : ` (${named}, \u2026)`}${tail}`;
    named = next;
  }
  return `${head} (${named})${tail}`;
}

// src/agent/watch/waking.ts
var PATIENCE2 = 5e3;
var MOST_EVENTS = 50;
function openWakingLines(connection, room, { print, say }) {
  let last = Promise.resolve();
  const lines = openLines((due) => {
    last = last.then(() => tell(due));
  });
  async function ask(input) {
    const where = room === void 0 ? {} : { room };
    return callByName(connection(), "request_wake", { ...where, ...input }, AbortSignal.timeout(PATIENCE2));
  }
  async function tell({ line, notices }) {
    const events = idsOf(notices);
    const answer = await ask({ events }).catch(leaveOf);
    if (answer["wake"] === true) {
      print(line);
      await ask({ woken_for: events }).catch((error) => say(`no receipt: ${String(error)}`));
      return;
    }
    say(`does not wake the session: ${String(answer["reason"])}`);
    if (answer["reason"] !== "nothing_new") lines.putBack(notices, performance.now());
  }
  return lines;
}
function idsOf(notices) {
  const byWeight = notices.toSorted((a, b) => Number(b.forAgent) - Number(a.forAgent) || b.id - a.id);
  return byWeight.slice(0, MOST_EVENTS).map(({ id }) => id);
}
function leaveOf(error) {
  if (error instanceof HubRefusal && error.code === "not_signed_in") return { wake: false, reason: error.code };
  return { wake: true };
}

// src/agent/watch/open-watch.ts
var BEAT = 2e4;
function openWatch(settings, files, voices, watching) {
  const { print, say } = voices;
  const { path, session } = watching;
  const connection = { ...settings, path };
  const lines = openWakingLines(() => ({ ...connection, session: session() }), settings.room, { print, say });
  const outage = openOutage(print);
  let followed = { handle: "", owner: void 0, room: settings.room ?? "-" };
  let beatAt = Number.NEGATIVE_INFINITY;
  const live = () => {
    const mode = files.read().mode ?? watching.mode ?? settings.mode;
    return { ...settings, mode, room: followed.room };
  };
  const noticeOf2 = openNotices(() => {
    const { handle, owner } = followed;
    const names = files.read().names ?? settings.names;
    return { owner, isNamed: namesMatcher(handle, { ...settings, names }) };
  });
  function tick() {
    lines.tell(live(), performance.now());
    outage.tell(followed.room, performance.now());
    if (performance.now() - beatAt < BEAT) return;
    beatAt = performance.now();
    files.beat();
    void prove({ ...connection, session: session() }, path).then(voices.reached);
  }
  const follower = {
    began: (one) => void (followed = one),
    brought(frame) {
      const notice = noticeOf2(frame);
      if (!notice) return lines.tell(live(), performance.now());
      voices.noticed?.(frame);
      lines.take(notice, live());
      lines.tell(live(), performance.now());
    },
    opened() {
      outage.back(followed.room);
      voices.reached?.(true);
      say(`follows ${followed.room} as ${followed.handle}`);
    },
    lost(why) {
      outage.lost(performance.now());
      beatAt = Number.NEGATIVE_INFINITY;
      say(why);
    },
    refused: (code) => print(refusalLine(followed.room, code))
  };
  return { tick, follow: () => followForEver(connection, settings.room, follower), forget: lines.forget };
}
function refusalLine(room, code) {
  if (code === "epoch_changed") return `[crewroom] ${room}: the hub was restored; whats_new tells what is there now`;
  if (code === "cursor_expired") return `[crewroom] ${room}: some of what was missed is no longer kept; see whats_new`;
  return `[crewroom] ${room}: the hub refuses this watcher (${code}); until that is mended nothing wakes this session`;
}
var PATIENCE3 = 5e3;
async function prove(connection, path) {
  try {
    const response = await reach(connection, "/v1/presence", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ path }),
      signal: AbortSignal.timeout(PATIENCE3)
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

// src/agent/watch/settings.ts
var WATCH_VARIABLES = {
  CREWROOM_WATCH_MODE: {
    usual: "mentions",
    says: "What it wakes for: mentions, all, or hook-only for nothing. What --set-mode wrote goes before."
  },
  CREWROOM_WATCH_MIN_INTERVAL: {
    usual: "60",
    says: "Seconds between two lines about what is not for the agent; 0 prints each at once."
  },
  CREWROOM_WATCH_MENTION_PRIORITY: {
    usual: "on",
    says: "off: what is for the agent waits for the next line like the rest."
  },
  CREWROOM_WATCH_MENTIONS: { usual: "", says: "More names, by commas, whose mention in a text is for the agent." },
  CREWROOM_WATCH_ALIAS: {
    usual: "on",
    says: "off: the digits in the agent's name (four or more) do not stand for it."
  },
  CREWROOM_WATCH_DEBUG: { usual: "", says: "1, true, on or yes: says on stderr what it does." }
};
var MODES = ["hook-only", "mentions", "all"];
function readWatchSettings(environment) {
  const given = (name) => environment[name]?.trim() || WATCH_VARIABLES[name].usual;
  const isOn = (name) => !/^(off|0|false|no)$/i.test(given(name));
  const seconds = given("CREWROOM_WATCH_MIN_INTERVAL");
  const session = environment["CLAUDE_CODE_SESSION_ID"];
  return {
    url: (environment["CREWROOM_URL"]?.trim() || "http://127.0.0.1:8090").replace(/\/+$/, ""),
    token: environment["CREWROOM_TOKEN"]?.trim() || void 0,
    room: environment["CREWROOM_ROOM"]?.trim() || void 0,
    session: session !== void 0 && /^[\x21-\x7e]{1,128}$/.test(session) ? session : void 0,
    mode: readMode(given("CREWROOM_WATCH_MODE")) ?? "mentions",
    minInterval: 1e3 * Number(/^\d{1,9}$/.test(seconds) ? seconds : 60),
    mentionsFirst: isOn("CREWROOM_WATCH_MENTION_PRIORITY"),
    names: readNames(given("CREWROOM_WATCH_MENTIONS")),
    alias: isOn("CREWROOM_WATCH_ALIAS"),
    debug: /^(1|true|on|yes)$/i.test(given("CREWROOM_WATCH_DEBUG"))
  };
}
function readMode(text2) {
  return MODES.find((mode) => mode === text2.trim());
}
function readNames(text2) {
  return text2.split(",").map((name) => name.trim()).filter((name) => name !== "");
}

// src/agent/watch/state.ts
import { renameSync as renameSync2, writeFileSync as writeFileSync3 } from "node:fs";
import { join as join3 } from "node:path";
function openState({ url, token, room, session }) {
  const folder = ownFolder();
  if (folder === void 0) throw new Error("There is no folder of our own among the temporary ones.");
  const file = join3(folder, `watch-${nameOf([url, token, room])}`);
  const ofSession = join3(folder, `watch-${nameOf([url, token, room, session])}`);
  return {
    read: () => parse2(readIfThere(file) ?? ""),
    write({ mode, names }) {
      const lines = [
        ...mode === void 0 ? [] : [`mode=${mode}`],
        ...names ? [`mentions=${names.join(",")}`] : []
      ];
      const scratch = `${file}.${process.pid}`;
      writeFileSync3(scratch, `${lines.join("\n")}
`, { mode: 384 });
      renameSync2(scratch, file);
    },
    takeLock: () => takeLock(`${ofSession}.lock`),
    beat() {
      try {
        writeFileSync3(`${ofSession}.heartbeat`, (/* @__PURE__ */ new Date()).toISOString(), { mode: 384 });
      } catch {
      }
    }
  };
}
function parse2(text2) {
  const lines = new Map(
    text2.split("\n").map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)])
  );
  const mode = readMode(lines.get("mode") ?? "");
  const names = lines.get("mentions");
  return { ...mode && { mode }, ...names !== void 0 && names !== "" && { names: readNames(names) } };
}

// src/agent/bridge/inbox.ts
import { connect } from "node:net";
var PATIENCE4 = 2e3;
function inboxOf(environment) {
  const address = environment["CLAUDE_CODE_MESSAGING_SOCKET"];
  return address ? { address, token: environment["CLAUDE_CODE_MESSAGING_TOKEN"] } : void 0;
}
function putInto({ address, token }, text2) {
  const lines = [
    ...token === void 0 ? [] : [{ type: "auth", token }],
    { type: "user", message: { role: "user", content: text2 } }
  ];
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (isTaken) => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.setTimeout(PATIENCE4, () => end(false));
    socket.on("error", () => end(false));
    socket.on(
      "connect",
      () => socket.end(lines.map((line) => `${JSON.stringify(line)}
`).join(""), () => setTimeout(() => end(true), 100))
    );
  });
}

// src/agent/bridge/message-lines.ts
var LONGEST = 32 * 1024 * 1024;
async function* linesOf(input) {
  let parts = [];
  let length = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
      parts = [];
      length = 0;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > LONGEST) throw new RangeError("A message has more than 32 MB.");
    if (rest.length > 0) parts.push(rest);
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString("utf8");
}

// src/agent/bridge/message.ts
var RPC = { parse: -32700, request: -32600, method: -32601, refused: -32e3 };
var VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
function readRequest(message) {
  if (!isJson(message)) return void 0;
  const { method, id, params } = message;
  if (typeof method !== "string") return void 0;
  if (id !== void 0 && typeof id !== "string" && typeof id !== "number") return void 0;
  return { method, id, params: isJson(params) ? params : {} };
}
function versionOf({ params }) {
  const meta = params["_meta"];
  const version = isJson(meta) ? meta[VERSION_KEY] : void 0;
  return typeof version === "string" ? version : void 0;
}
function headersOf(request, agreed) {
  const version = versionOf(request);
  const shared = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  if (version === void 0) return { ...shared, ...agreed !== void 0 && { "mcp-protocol-version": agreed } };
  const name = request.params["name"] ?? request.params["uri"];
  return {
    ...shared,
    "mcp-protocol-version": headerValue(version),
    "mcp-method": headerValue(request.method),
    ...typeof name === "string" && { "mcp-name": headerValue(name) }
  };
}
function headerValue(text2) {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text2) && !text2.startsWith("=?base64?")) return text2;
  return `=?base64?${Buffer.from(text2).toString("base64")}?=`;
}
function isJson(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// src/agent/bridge/away.ts
var HANDSHAKE = ["2025-11-25", "2025-06-18", "2025-03-26"];
function awayAnswer(request, why) {
  const { method, params } = request;
  const isModern = versionOf(request) !== void 0;
  if (method === "server/discover") return { error: { code: RPC.method, message: `hub_unreachable: ${why}` } };
  if (method === "initialize") return { result: greeting(params, why) };
  if (method === "tools/list" && !isModern) return { result: { tools: [] } };
  if (method !== "tools/call") return { error: { code: RPC.refused, message: `hub_unreachable: ${why}` } };
  return {
    result: {
      content: [{ type: "text", text: `hub_unreachable: ${why} ${NEXT}` }],
      isError: true,
      ...isModern && { resultType: "complete" }
    }
  };
}
var NEXT = "Whether the call was done is not known: go on with other work, and later repeat it with the same idempotency_key, or read first what is there. The bridge tries again by itself; tell your user if it lasts.";
function greeting({ protocolVersion }, why) {
  return {
    protocolVersion: HANDSHAKE.includes(protocolVersion) ? protocolVersion : HANDSHAKE[0],
    capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
    serverInfo: { name: "crewroom", title: "Crewroom", version: "0" },
    instructions: `${why} Crewroom's tools come by themselves when it is there.`
  };
}

// src/agent/bridge/proxy.ts
var PATIENCE5 = 3e5;
function openProxy({ send: send2, ...parts }) {
  const underWay = /* @__PURE__ */ new Map();
  const hub = openHub(parts);
  async function forward(line, request) {
    const { id } = request;
    if (id === void 0) return void await hub.ask(line, request, new AbortController().signal);
    const gone = new AbortController();
    underWay.set(id, gone);
    const answer = await hub.ask(line, request, gone.signal);
    underWay.delete(id);
    if (!gone.signal.aborted) send2({ jsonrpc: "2.0", id, ...withListChanged(request, answer) });
  }
  return {
    async take(line) {
      if (line.trim() === "") return;
      const message = parse3(line);
      const request = readRequest(message);
      if (!request) {
        if (isJson(message) && ("result" in message || "error" in message)) return;
        const code = message === void 0 ? RPC.parse : RPC.request;
        return send2({ jsonrpc: "2.0", id: null, error: { code, message: "A line is one message of JSON-RPC." } });
      }
      const { method, id, params } = request;
      if (method === "ping" && id !== void 0 && versionOf(request) === void 0)
        return send2({ jsonrpc: "2.0", id, result: {} });
      if (method !== "notifications/cancelled") return forward(line, request);
      const { requestId } = params;
      if (typeof requestId === "string" || typeof requestId === "number") underWay.get(requestId)?.abort();
    },
    hubIsThere() {
      if (hub.isToolListDue()) send2({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    }
  };
}
function openHub({ connection, session, say }) {
  let agreed;
  let owesTools = false;
  async function askHub(line, request, signal) {
    const path = request.method === "tools/call" ? void 0 : "bridge";
    const response = await reach({ ...connection, session: session(), path }, "/mcp", {
      method: "POST",
      headers: headersOf(request, agreed),
      body: line,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE5)])
    });
    const text2 = await response.text();
    return request.id === void 0 ? {} : answerIn(text2, response.status, connection);
  }
  function agree({ method }, answer) {
    if (method === "initialize") agreed = agreedIn(answer) ?? agreed;
    return answer;
  }
  return {
    /** Never fails. */
    async ask(line, request, signal) {
      try {
        return agree(request, await askHub(line, request, signal));
      } catch (error) {
        const why = whyOf(error, connection);
        if (!signal.aborted) say(`${request.method}: ${why}`);
        owesTools ||= versionOf(request) === void 0 && ["initialize", "tools/list"].includes(request.method);
        return agree(request, awayAnswer(request, why));
      }
    },
    /** Once after the client was told of no tools. */
    isToolListDue() {
      const owed = owesTools;
      owesTools = false;
      return owed;
    }
  };
}
function whyOf(error, { url }) {
  if (error instanceof HubUnreachable) return error.message;
  return `The line to the Crewroom at ${url} was cut: ${error instanceof Error ? error.message : String(error)}.`;
}
function withListChanged({ method }, answer) {
  const { result } = answer;
  if (method !== "initialize" || !result) return answer;
  const capabilities = isJson(result["capabilities"]) ? result["capabilities"] : {};
  const tools = isJson(capabilities["tools"]) ? capabilities["tools"] : {};
  return { result: { ...result, capabilities: { ...capabilities, tools: { ...tools, listChanged: true } } } };
}
function agreedIn({ result }) {
  const version = result?.["protocolVersion"];
  return typeof version === "string" ? version : void 0;
}
function answerIn(text2, status, { url }) {
  const body = parse3(text2);
  if (isJson(body)) {
    const { result, error } = body;
    if (isJson(result)) return { result };
    if (isJson(error)) return { error: typeof error["code"] === "number" ? error : refusalOf2(error) };
  }
  throw new HubUnreachable(`What answers at ${url} is not a Crewroom (HTTP ${status}).`);
}
function refusalOf2({ code, message, next }) {
  const words = [message, next].filter((part) => typeof part === "string").join(" ");
  return { code: RPC.refused, message: `${String(code)}: ${words}` };
}
function parse3(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return void 0;
  }
}

// src/agent/bridge/wake.ts
var AT_WORK = 5e3;
var WORK_IS_BELIEVED = 6e5;
var MONITOR_STARTS = 8e3;
var UNTOLD = 3e3;
var UNHEARD = 1e4;
function openWake({ files, caughtUp, ...parts }) {
  let held;
  let now = parts.started;
  const signal = openSignal(files);
  const given = openGivenLine(signal, parts);
  function letGo() {
    if (held) given.give(held.text, now);
    held = void 0;
  }
  return {
    noticed: (place) => signal.change({ news: place }),
    // Again when nothing changed: it shows that the bridge lives.
    reached: (isThere) => signal.change({ hub: isThere ? "here" : "away" }),
    print(text2) {
      held = { text: text2, at: now };
      if (!isAtWork(files.readNote())) letGo();
    },
    tick(time) {
      now = time;
      const note = files.readNote();
      const { news } = signal.read();
      if (news !== "" && note.seen === news) {
        held = void 0;
        caughtUp();
      }
      if (held && (!isAtWork(note) || now - held.at >= AT_WORK)) letGo();
      given.seeTo(note, now);
    }
  };
}
function openSignal(files) {
  let signal = { pid: process.pid, hub: "here", news: "", line: null };
  return {
    read: () => signal,
    change(part) {
      signal = { ...signal, ...part };
      files.writeSignal(signal);
    }
  };
}
function openGivenLine(signal, { monitor, nudge, started }) {
  let line;
  function isEarly({ at }, isTold, now) {
    if (isTold) return now - at < UNHEARD;
    return monitor.isWatched() ? now - at < UNTOLD : now - started < MONITOR_STARTS;
  }
  return {
    give(text2, at) {
      const number = Math.max(monitor.told() + 1, (line?.number ?? 0) + 1, Date.now());
      line = { number, text: text2, at };
      signal.change({ line: { number, text: text2 } });
    },
    seeTo(note, now) {
      if (!line) return;
      const isTold = monitor.told() >= line.number;
      if (isTold && isHeard(note, line)) line = void 0;
      if (!line || !nudge || isAtWork(note) || isEarly(line, isTold, now)) return;
      nudge(line.text);
      line = void 0;
      signal.change({ line: null });
    }
  };
}
function isAtWork({ occasion, at = 0 }) {
  return (occasion === "prompt" || occasion === "step") && Math.abs(Date.now() - at) < WORK_IS_BELIEVED;
}
function isHeard({ at = 0 }, { number }) {
  return at >= number;
}

// src/agent/bridge/run-bridge.ts
var TICK = 1e3;
async function runBridge({ args, environment: given, input, send: send2, note }) {
  const environment = withCredentials(args, given);
  const settings = { ...readWatchSettings(environment), fetch: lightFetch };
  const say = (line) => settings.debug && note(`crewroom bridge: ${line}`);
  const client = clientOf(environment, process.ppid) ?? "";
  const files = openSessionFiles(client, [settings.url, settings.token, settings.room]);
  const own = settings.session ?? randomUUID();
  const session = () => files?.readNote().session ?? own;
  const connection = { url: settings.url, token: settings.token, fetch: lightFetch };
  const proxy = openProxy({ connection, session, send: send2, say });
  const isOver = whenOver();
  if (files && settings.token !== void 0)
    void watchOver({ settings, nudge: nudgeFor(args, environment, files), files, client, session, proxy, say });
  await Promise.race([handOn(input, proxy), isOver]);
  files?.release();
}
async function handOn(input, proxy) {
  for await (const line of linesOf(input)) void proxy.take(line);
}
async function watchOver({ settings, nudge, files, client, session, proxy, say }) {
  while (!files.takeLock()) {
    say("another one runs for this session; this one only hands messages on");
    await pause2(TICK);
  }
  const wake = openWake({
    files,
    monitor: openMonitorFiles(client) ?? NO_MONITOR,
    nudge: nudge && ((text2) => void nudge(text2).then((isTaken) => say(`client ${isTaken ? "took" : "refused"} ${text2}`))),
    caughtUp: () => watch.forget(),
    started: performance.now()
  });
  const voices = {
    print: wake.print,
    say,
    noticed: ({ id = "" }) => wake.noticed(id),
    reached(isThere) {
      wake.reached(isThere);
      if (isThere) proxy.hubIsThere();
    }
  };
  const watch = openWatch(settings, openState(settings), voices, { path: "bridge", mode: void 0, session });
  const tick = () => {
    watch.tick();
    wake.tick(performance.now());
  };
  setInterval(tick, TICK);
  tick();
  await watch.follow();
}
function nudgeFor(args, environment, files) {
  const inbox = inboxOf(environment);
  if (inbox) return (text2) => putInto(inbox, text2);
  if (valueOf("--client", args) !== "codex") return void 0;
  return (text2) => queueFor(files.readNote().session ?? "", text2);
}
var NO_MONITOR = { told: () => 0, isWatched: () => false };

// src/agent/bridge-main.ts
process.stdout.on("error", () => process.exit(0));
await runBridge({
  args: process.argv.slice(2),
  environment: process.env,
  input: process.stdin,
  send: (message) => void process.stdout.write(`${JSON.stringify(message)}
`),
  note: (line) => void process.stderr.write(`${line}
`)
});
process.exit(0);
