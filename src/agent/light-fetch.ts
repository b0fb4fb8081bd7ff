import { Agent, type IncomingMessage, request as plainRequest } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/**
 * `fetch` for what stays beside an agent for hours, by Node's own HTTP client: the global one brings a parser that is compiled again
 * and again, and 20 MB to 35 MB with it. Redirects are not followed. Only what our client looks at is there.
 */
export const lightFetch: typeof fetch = async (input, { method = "GET", body, headers, signal } = {}) => {
  if (typeof input !== "string" || (body && typeof body !== "string")) throw new TypeError("Only texts are sent.");
  const incoming = await send(input, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    body: body ?? "",
    signal: signal ?? undefined,
  });
  return answerOf(incoming);
};

interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/** Keeps lines to the hub for the next call. */
const plainAgent = new Agent({ keepAlive: true });

async function send(url: string, { method, headers, body, signal }: Call): Promise<IncomingMessage> {
  const { request, agent } = url.startsWith("https:") ? await secure() : { request: plainRequest, agent: plainAgent };
  const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request(url, { method, headers: { ...headers, ...length }, agent, ...(signal && { signal }) }, resolve)
      .on("error", reject)
      .end(body);
  });
}

let secured: ReturnType<typeof openSecure> | undefined;

/** Loaded where it is needed alone. */
function secure() {
  return (secured ??= openSecure());
}

async function openSecure() {
  const https = await import("node:https");
  return { request: https.request, agent: new https.Agent({ keepAlive: true }) };
}

function answerOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0 } = incoming;
  const parts = {
    ok: status >= 200 && status < 300,
    status,
    get body() {
      return Readable.toWeb(incoming);
    },
    text: () => text(incoming),
    json: async () => JSON.parse(await text(incoming)) as unknown,
  };
  return parts as unknown as Response; // what our client looks at; a whole one would bring the rest
}
