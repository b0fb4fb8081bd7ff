import { connect } from "node:net";

/** An answer read off a bare connection. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends bytes as they stand, for what no client library would send, and reads the first answer. Throws when there is none. */
export async function sendRaw({ url }: { url: string }, request: string | Buffer): Promise<WireAnswer> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined); // what was received until then is looked at
  socket.write(request);
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer]); // no encoding is set
    const answer = parseAnswer(received);
    if (answer) {
      socket.destroy();
      return answer;
    }
  }
  throw new Error(`The connection ended without a whole answer: ${JSON.stringify(received.toString().slice(0, 200))}`);
}

function parseAnswer(received: Buffer): WireAnswer | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const body = received.subarray(end + 4);
  if (body.length < Number(headers.get("content-length") ?? 0)) return undefined;
  return { status: Number(statusLine.split(" ")[1]), headers, body: body.toString() };
}

/** The text of a request, its headers one by one. */
export function requestText(method: string, target: string, headers: readonly string[], body = ""): string {
  return [`${method} ${target} HTTP/1.1`, ...headers, "", body].join("\r\n");
}
