import { Agent, request } from "node:http";

/** What came back: JSON, whole. */
export interface Reply {
  readonly status: number;
  // An answer's shape is the operation's business; whoever asked compares it with what it expects.
  // oxlint-disable-next-line no-explicit-any
  readonly body: any;
}

/** Where to call and as whom. */
export interface Target {
  readonly port: number;
  readonly token: string;
}

export interface PostOptions {
  readonly key?: string;
  readonly session?: string;
  /** Cuts the connection after so many ms, whatever has come by then. */
  readonly cutAfter?: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/** Calls an operation. Rejects when the connection broke before the answer was there whole. */
export function post(
  { port, token }: Target,
  operation: string,
  input: object,
  { key, session, cutAfter }: PostOptions = {},
): Promise<Reply> {
  const body = JSON.stringify(input);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(key && { "idempotency-key": key }),
    ...(session && { "x-crewroom-session": session }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path: `/api/${operation}`, method: "POST", headers, agent });
    const timer = cutAfter === undefined ? undefined : setTimeout(() => outgoing.destroy(new Error("cut")), cutAfter);
    const lost = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    outgoing.on("error", lost);
    outgoing.on("response", (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("error", lost);
      incoming.on("aborted", () => lost(new Error("aborted")));
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        clearTimeout(timer);
        if (incoming.complete)
          resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
        else lost(new Error("cut short"));
      });
    });
    outgoing.end(body);
  });
}

/** Calls an operation that must succeed. */
export async function call(target: Target, operation: string, input: object, options?: PostOptions) {
  const { status, body } = await post(target, operation, input, options);
  if (status !== 200) throw new Error(`${operation}: ${status} ${JSON.stringify(body)}`);
  return body;
}
