import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { HookSettings } from "./settings.ts";

/** What the hub answered. */
export interface HubAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** In bytes; the hub's own answers are far below. */
const LONGEST_ANSWER = 4 * 1024 * 1024;

/**
 * Calls an address of the hub. Redirects are not followed: they would carry the token elsewhere.
 *
 * @throws the system's error when nobody answers, an AbortError at the deadline, SyntaxError when it is no hub.
 */
export async function callHub(
  { url, token = "" }: Pick<HookSettings, "url" | "token">,
  path: string,
  session: string | undefined,
  input: object,
  deadline: AbortSignal,
): Promise<HubAnswer> {
  const body = JSON.stringify(input);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "user-agent": "crewroom-hook",
    "x-crewroom-path": "hook",
    ...(session !== undefined && { "x-crewroom-session": session }),
  };
  // Asked for only now: most runs call nobody, and each costs the agent its start.
  const { request } = url.startsWith("https:") ? await import("node:https") : await import("node:http");
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${url}${path}`, { method: "POST", headers, signal: deadline, agent: false }, resolve)
      .on("error", reject)
      .end(body);
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: parseObject(await readAll(incoming)),
  };
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new SyntaxError("what answers there is no Crewroom: too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError("what answers there is no Crewroom: not JSON", { cause });
  }
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>; // looked at field by field
  throw new SyntaxError("what answers there is no Crewroom: no object");
}
