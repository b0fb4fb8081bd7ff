import { fail, HubError } from "../core/errors.ts";
import { type Core, execute, roomOf } from "../core/execute.ts";
import { LIMITS } from "../core/limits.ts";
import type { Operation } from "../core/operation.ts";
import type { Tx } from "../store/store.ts";
import { goneSignal, NEVER_KEPT, type Reply, type Route, type SignedAsk, WRITTEN } from "./exchange.ts";
import { dispositionOf, servedType } from "./file-headers.ts";
import { parseQuery, readAs, refuseUnknown } from "./query.ts";
import { taken } from "./stream-sink.ts";

/** What an edge cannot know by itself: a file's bytes, a checked part at a time. */
export interface FileReader {
  readonly partBytes: number;
  /** @throws HubError `file_damaged` */
  readonly readPart: (
    tx: Tx,
    key: { organization: string; room: number; file: number; part: number },
  ) => Promise<Uint8Array>;
}

export interface DownloadParts {
  readonly core: Core;
  readonly getFile: Operation;
  readonly fileReader: FileReader;
}

/** What `get_file` tells of a file that matters here. */
interface File {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly mime: string;
  readonly sha256: string;
}

/**
 * `GET /v1/files/{id}`: a file's bytes, or a range of them. Each part is compared with its digest before it goes out: what
 * was changed is not handed on, and the answer then ends early, or is `file_damaged` when nothing of it had gone out.
 *
 * Always something to save, of a type that no browser runs: the bytes are somebody else's.
 */
export function downloadRoute({ core, getFile, fileReader }: DownloadParts): Route {
  return { method: "GET", path: "/v1/files/{file_id}", run };

  async function run(ask: SignedAsk): Promise<Reply | typeof WRITTEN> {
    const { caller, params, outgoing } = ask;
    const parameters = parseQuery(ask.query);
    refuseUnknown(parameters, ["room"]);
    const named = parameters.get("room") || undefined;
    const input = { file_id: readAs("number", params["file_id"] ?? ""), ...(named !== undefined && { room: named }) };
    const { value } = await execute(core, getFile, { caller, input });
    const file = value as unknown as File; // the operation's own answer
    const range = rangeOf(ask, file);
    const room = roomOf(caller, named);
    const subscription = core.feed.subscribe({ caller, room }, goneSignal(outgoing));
    const { signal } = subscription;
    // Whose credential ends gets no more of it; a hub that stops lets answers under way finish.
    signal.addEventListener("abort", () => isStopping(signal.reason) || outgoing.destroy(), { once: true });
    try {
      const read = (part: number) =>
        core.store.read((tx) =>
          fileReader.readPart(tx, { organization: caller.organization, room: room.id, file: file.id, part }),
        );
      await sendRange(ask, file, range, { read, partBytes: fileReader.partBytes });
    } finally {
      subscription.end();
    }
    return WRITTEN;
  }
}

function isStopping(reason: unknown): boolean {
  return reason instanceof HubError && reason.code === "stopping";
}

/** From a byte to another, both in it. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly isWhole: boolean;
}

interface Source {
  readonly read: (part: number) => Promise<Uint8Array>;
  readonly partBytes: number;
}

async function sendRange(
  { method, outgoing, trace }: SignedAsk,
  file: File,
  range: Range,
  { read, partBytes }: Source,
) {
  const first = Math.floor(range.from / partBytes);
  const last = Math.floor(range.to / partBytes);
  let bytes = await read(first);
  // By its beginning, which a range may leave out.
  const beginning = first === 0 || method === "HEAD" ? bytes : await read(0);
  outgoing.writeHead(range.isWhole ? 200 : 206, {
    ...headersOf(file, servedType(file.mime, beginning)),
    ...(!range.isWhole && { "content-range": `bytes ${range.from}-${range.to}/${file.size}` }),
    "content-length": range.to - range.from + 1,
    "x-request-id": trace,
  });
  if (method === "HEAD") return void outgoing.end();
  for (let part = first; part <= last; part++) {
    if (part > first) bytes = await read(part);
    const start = part * partBytes;
    const piece = bytes.subarray(Math.max(range.from - start, 0), range.to - start + 1);
    if (!(await taken(outgoing, piece, LIMITS.fileStallSeconds * 1_000))) return;
  }
  outgoing.end();
}

function headersOf({ name, sha256 }: File, type: string): Record<string, string> {
  return {
    ...NEVER_KEPT,
    "content-type": type,
    "content-disposition": dispositionOf(name),
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
    "accept-ranges": "bytes",
    etag: `"${sha256}"`,
    "x-crewroom-sha256": sha256,
  };
}

/**
 * The one range that is asked for. Several, and what cannot be read, are not looked at.
 *
 * @throws HubError `no_such_range`
 * @source RFC 9110, 14.2 and 13.1.5.
 */
function rangeOf({ method, headers }: SignedAsk, { size, sha256 }: File): Range {
  const whole = { from: 0, to: size - 1, isWhole: true };
  const asked = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? "");
  const isOther = headers["if-range"] !== undefined && headers["if-range"] !== `"${sha256}"`;
  if (!asked || isOther || method === "HEAD") return whole;
  const [, from = "", to = ""] = asked;
  if (from === "" && to === "") return whole;
  if (from === "") {
    if (Number(to) === 0) throw fail("no_such_range", { size });
    return { from: Math.max(0, size - Number(to)), to: size - 1, isWhole: false };
  }
  if (Number(from) >= size) throw fail("no_such_range", { size });
  if (to !== "" && Number(to) < Number(from)) return whole;
  return { from: Number(from), to: to === "" ? size - 1 : Math.min(Number(to), size - 1), isWhole: false };
}
