// The load: its own process, as lean as can be, so that the server is what is measured. Speaks HTTP/1.1 over plain sockets.
import { connect, type Socket } from "node:net";

/** One round: `callers` connections, each sending the next request when the last is answered, `calls` in all. */
export interface Round {
  readonly port: number;
  readonly callers: number;
  readonly calls: number;
  /** Requests as they go over the wire; sent in turn. */
  readonly requests: readonly string[];
}
export interface Measured {
  readonly seconds: number;
  readonly failed: number;
  /** In ms. */
  readonly p50: number;
  readonly p99: number;
}

if (process.send) process.on("message", (round: Round) => void run(round).then((measured) => process.send?.(measured)));

async function run({ port, callers, calls, requests }: Round): Promise<Measured> {
  const wires = requests.map((request) => Buffer.from(request));
  const times: number[] = [];
  let sent = 0;
  let failed = 0;
  const sockets = await Promise.all(Array.from({ length: callers }, () => open(port)));
  const started = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      const answers = reader(socket);
      while (sent < calls) {
        const wire = wires[sent++ % wires.length];
        if (!wire) break;
        const at = performance.now();
        socket.write(wire);
        if (!(await answers.next())) failed += 1;
        times.push(performance.now() - at);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { seconds, failed, p50: at(0.5), p99: at(0.99) };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.setNoDelay(true)));
    socket.once("error", reject);
  });
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** Resolves true per whole answer with status 200 or 201. Answers here always have a content-length. */
function reader(socket: Socket) {
  let missing = 0;
  let ok = false;
  let rest: Buffer | undefined;
  let done: ((ok: boolean) => void) | undefined;
  socket.on("data", (chunk) => {
    if (missing > 0) {
      missing -= chunk.length;
    } else {
      const head = rest ? Buffer.concat([rest, chunk]) : chunk;
      const end = head.indexOf(HEAD_END);
      if (end < 0) return void (rest = head);
      rest = undefined;
      const text = head.toString("latin1", 0, end);
      ok = /^HTTP\/1\.1 20[01]/.test(text);
      missing = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0) - (head.length - end - 4);
    }
    if (missing <= 0) done?.(ok);
  });
  socket.on("close", () => done?.(false));
  return { next: () => new Promise<boolean>((resolve) => (done = resolve)) };
}
