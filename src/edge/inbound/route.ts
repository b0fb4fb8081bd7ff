import { findInboundHook, type InboundHookRow } from "../../access/hook-queries.ts";
import type { Seal } from "../../access/seal.ts";
import type { Core } from "../../core/execute.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Caller } from "../../core/operation.ts";
import { type Ask, json, type Reply, type Route } from "../exchange.ts";
import { openUploads, readInTime } from "../file-upload.ts";
import { parseJsonObject, readJsonBody } from "../json-body.ts";
import type { Gate } from "../middleware.ts";
import { parseQuery, refuseUnknown } from "../query.ts";
import { isSignedByGitHub, readPullRequest, tellMerged } from "./github.ts";
import type { InboundOperations } from "./operations.ts";
import { act } from "./plain.ts";

export interface InboundParts {
  readonly core: Core;
  readonly gate: Pick<Gate, "signInByHook">;
  readonly seal: Seal;
  readonly operations: InboundOperations;
  /** A share of its own for each hook. @throws HubError `too_many_calls` */
  readonly admit: (caller: Caller) => Promise<void>;
}

/** How often a hook may be called in a minute. */
export const CALLS_OF_A_HOOK = 60;
/** GitHub tells much of a pull request; what it says that is larger than this it is not needed for. */
const GITHUB_BYTES = 1_048_576;
const PLAIN_BYTES = 256 * 1_024;

/**
 * `POST /v1/inbound/{hook}`: others post a message, open a task or tell of a merged pull request. A plain one brings its token
 * in the Authorization header; GitHub signs what it sends.
 */
export function inboundRoute(parts: InboundParts): Route {
  const uploads = openUploads();
  return {
    method: "POST",
    path: "/v1/inbound/{hook}",
    open: true,
    async run(ask) {
      refuseUnknown(parseQuery(ask.query), []);
      const id = ask.params["hook"] ?? "";
      const hook = await parts.core.store.read((tx) => findInboundHook(tx, id));
      return hook?.form === "github" ? takeFromGitHub(parts, uploads, ask, hook) : takePlain(parts, ask, id);
    },
  };
}

async function takePlain({ core, gate, operations, admit }: InboundParts, ask: Ask, id: string): Promise<Reply> {
  const caller = await gate.signInByHook(ask, id);
  await admit(caller);
  const { value, replayed } = await act(core, operations, caller, {
    ...(await readJsonBody(ask.incoming, PLAIN_BYTES)),
    ...namedBy(ask.headers["webhook-id"]),
  });
  return json(200, value, replayed ? { "idempotency-replayed": "true" } : undefined);
}

/** Whoever sends by Standard Webhooks names the delivery in a header. */
function namedBy(header: string | string[] | undefined) {
  return typeof header === "string" && header !== "" ? { id: header } : {};
}

async function takeFromGitHub(
  parts: InboundParts,
  uploads: ReturnType<typeof openUploads>,
  ask: Ask,
  hook: InboundHookRow,
): Promise<Reply> {
  const declared = Math.min(Number(ask.headers["content-length"] ?? GITHUB_BYTES), GITHUB_BYTES);
  // Nobody has shown anything before the signature, which is over all of it: so an address has a share of what may be held.
  const leave = uploads.enter({ organization: ask.address, credential: hook.id }, declared);
  try {
    return await actForGitHub(parts, ask, hook);
  } finally {
    leave();
  }
}

async function actForGitHub(parts: InboundParts, ask: Ask, hook: InboundHookRow): Promise<Reply> {
  const { core, gate, seal, operations, admit } = parts;
  const content = await readInTime(ask.incoming, GITHUB_BYTES, LIMITS.fileStallSeconds * 1_000);
  const token = hook.secret === null ? "" : seal.open(hook.secret, `hook/${hook.id}`);
  const isSigned = isSignedByGitHub(content, ask.headers["x-hub-signature-256"], token);
  // Without a signature that fits it is nobody's, and counts as a wrong token does.
  const caller = await gate.signInByHook(ask, hook.id, isSigned ? token : "");
  await admit(caller);
  const merged = readPullRequest(ask.headers["x-github-event"], parseJsonObject(content));
  const tasks = merged ? await tellMerged(core, operations, caller, merged, hook.finishes === 1) : [];
  return json(200, { ok: true, tasks });
}
