import { type Json, type Request, RPC, versionOf } from "./message.ts";

/** The part of an answer that is not its number. */
export interface Answer {
  readonly result?: Json;
  readonly error?: Json;
}

/** The revisions with a handshake that the hub speaks, the newest first: a client gets its own, or the newest. */
const HANDSHAKE: readonly unknown[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/**
 * What the bridge answers by itself while no hub can be reached. It lets the client begin, so that the tools come by
 * themselves once the hub is there; a client takes a server that fails at the start for gone.
 */
export function awayAnswer(request: Request, why: string): Answer {
  const { method, params } = request;
  const isModern = versionOf(request) !== undefined;
  // Only after a handshake can a client be told later that there are tools now.
  if (method === "server/discover") return { error: { code: RPC.method, message: `hub_unreachable: ${why}` } };
  if (method === "initialize") return { result: greeting(params, why) };
  if (method === "tools/list" && !isModern) return { result: { tools: [] } };
  if (method !== "tools/call") return { error: { code: RPC.refused, message: `hub_unreachable: ${why}` } };
  return {
    result: {
      content: [{ type: "text", text: `hub_unreachable: ${why} ${NEXT}` }],
      isError: true,
      ...(isModern && { resultType: "complete" }),
    },
  };
}

/** Whether a call whose answer was cut off was done cannot be known here. */
const NEXT =
  "Whether the call was done is not known: go on with other work, and later repeat it with the same idempotency_key, or read first what is there. The bridge tries again by itself; tell your user if it lasts.";

function greeting({ protocolVersion }: Json, why: string): Json {
  return {
    protocolVersion: HANDSHAKE.includes(protocolVersion) ? protocolVersion : HANDSHAKE[0],
    capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
    serverInfo: { name: "crewroom", title: "Crewroom", version: "0" },
    instructions: `${why} Crewroom's tools come by themselves when it is there.`,
  };
}
