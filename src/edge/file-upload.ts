import { hash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { fail } from "../core/errors.ts";
import { type Core, roomOf } from "../core/execute.ts";
import { parseInput } from "../core/fields.ts";
import { LIMITS } from "../core/limits.ts";
import type { Caller, Operation } from "../core/operation.ts";
import { refuseRole } from "../core/roles.ts";
import { json, type Route, type SignedAsk } from "./exchange.ts";
import { type JsonObject, readBytes } from "./json-body.ts";
import { parseQuery, readAs, refuseUnknown } from "./query.ts";
import { callOperation } from "./rest.ts";

export interface UploadParts {
  readonly core: Core;
  readonly putFile: Operation;
  /** How long (ms) a sender may stand still. */
  readonly stallMs?: number;
}

/**
 * `POST /v1/files?name=…`: the body's bytes as a file. What can be refused is refused before a byte of it is read; then it
 * takes as much memory as the largest file may have, and never more.
 *
 * @source ChatRoomMCP's address with its parameters and headers.
 */
export function uploadRoute({ core, putFile, stallMs = LIMITS.fileStallSeconds * 1_000 }: UploadParts): Route {
  const most = core.settings.maxFileBytes;
  const uploads = openUploads();
  return {
    method: "POST",
    path: "/v1/files",
    async run(ask) {
      const { caller, headers } = ask;
      refuseRole(caller, "write");
      const input = readUpload(ask);
      roomOf(caller, input["room"]);
      parseInput(putFile.input, input);
      refuseOtherForms(headers);
      const declared = Number(headers["content-length"] ?? most);
      if (declared > most) throw fail("too_large", { what: "The file", most, unit: "bytes" });
      const leave = uploads.enter(caller, declared);
      try {
        const content = await readInTime(ask.incoming, most, stallMs);
        refuseOtherDigest(headers["content-digest"], content);
        const { value, replayed } = await callOperation(core, putFile, ask, input, content);
        return json(201, value, replayed ? { "idempotency-replayed": "true" } : undefined);
      } finally {
        leave();
      }
    },
  };
}

/** The operation's input from the address and the headers; its content is the body. */
function readUpload({ query, headers }: SignedAsk): JsonObject {
  const parameters = parseQuery(query);
  refuseUnknown(parameters, ["name", "room", "expires_in_hours"]);
  const room = parameters.get("room") || undefined;
  const name = parameters.get("name") || nameIn(headers["x-crewroom-filename"] ?? headers["x-chatroom-filename"]);
  const expires = parameters.get("expires_in_hours") || undefined;
  return {
    ...(name !== undefined && { name }),
    ...(room !== undefined && { room }),
    ...(expires !== undefined && { expires_in_hours: readAs("number", expires) }),
    ...typeIn(headers["content-type"]),
  };
}

/** Node reads headers as Latin-1; clients write names in UTF-8. */
function nameIn(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string" || header === "") return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}

/** What curl says of a body unless told otherwise says nothing about the file. */
const SAYS_NOTHING = "application/x-www-form-urlencoded";

function typeIn(header: string | undefined): JsonObject {
  const type = header?.split(";")[0]?.trim();
  return type === undefined || type === "" || type === SAYS_NOTHING ? {} : { mime: type };
}

/** Stored as it stands, either would be other bytes than those of the file. */
function refuseOtherForms(headers: IncomingHttpHeaders) {
  if (headers["content-type"]?.toLowerCase().startsWith("multipart/"))
    throw fail("bad_input", {
      field: "Content-Type",
      problem: "is a form's; send the file's bytes as the body: curl --data-binary @file",
    });
  if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity")
    throw fail("bad_input", { field: "Content-Encoding", problem: "must not be set: bytes are kept as they come" });
}

/** @source RFC 9530, 2: `sha-256=:<base64>:`. Other algorithms are not looked at. */
function refuseOtherDigest(header: string | string[] | undefined, content: Uint8Array) {
  const told = /(?:^|,)\s*sha-256=:([^:]*):/.exec(String(header ?? ""))?.[1];
  if (told !== undefined && told !== hash("sha256", content, "base64"))
    throw fail("bad_input", { field: "Content-Digest", problem: "is not the digest of the bytes that came" });
}

/** The body, unless its sender stands still for too long. @throws HubError `upload_stalled`, `too_large` */
export async function readInTime(incoming: IncomingMessage, most: number, stallMs: number): Promise<Uint8Array> {
  const stalled = Promise.withResolvers<never>();
  const give = () => stalled.reject(fail("upload_stalled", { stalled: Math.ceil(stallMs / 1_000) }));
  const timer = setTimeout(give, stallMs);
  const moved = () => timer.refresh();
  incoming.on("data", moved);
  try {
    return await Promise.race([readBytes(incoming, most), stalled.promise]);
  } finally {
    clearTimeout(timer);
    incoming.off("data", moved);
  }
}

/**
 * What all uploads under way may take of memory (bytes), an organization's share of it, and a credential's: no less than the largest
 * file can be set to.
 */
const ALL_UPLOADS = 64 * 1024 * 1024;
const ORGANIZATION_SHARE = ALL_UPLOADS / 2;
const SHARE = ALL_UPLOADS / 4;

/** Counts what uploads under way may come to, so that many at once cannot take all memory, nor one sender or organization the others' share. */
export function openUploads() {
  const held = new Map<string, number>();
  const heldBy = (key: string) => held.get(key) ?? 0;
  return {
    /** @throws HubError `too_many_uploads`. Gives how to leave again. */
    enter({ organization, credential }: Pick<Caller, "organization" | "credential">, bytes: number): () => void {
      const bounds = new Map([
        ["", ALL_UPLOADS],
        [organization, ORGANIZATION_SHARE],
        [`${organization}/${credential}`, SHARE],
      ]);
      for (const [key, most] of bounds) if (heldBy(key) + bytes > most) throw fail("too_many_uploads", { seconds: 1 });
      for (const key of bounds.keys()) held.set(key, heldBy(key) + bytes);
      return () => {
        for (const key of bounds.keys()) {
          const left = heldBy(key) - bytes;
          if (left > 0) held.set(key, left);
          else held.delete(key);
        }
      };
    },
  };
}
