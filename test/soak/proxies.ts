import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Something between two ends, on a port of its own. */
export interface Proxy {
  readonly port: number;
  close(): void;
}

/** Each connection goes to the next port in turn that takes one: a load balancer without a memory. */
export function balance(ports: () => readonly number[]): Promise<Proxy> {
  let turn = 0;
  return listen((client) => {
    const inTurn = ports().map((_, index, all) => all[(turn + index) % all.length] ?? 0);
    turn += 1;
    void pass(client, inTurn);
  });
}

async function pass(client: Socket, ports: readonly number[]) {
  for (const port of ports) {
    const server = connect(port, "127.0.0.1");
    const reached = await once(server, "connect").then(
      () => true,
      () => false,
    );
    if (!reached) continue;
    join(client, server);
    return;
  }
  client.destroy();
}

/** In front of a Postgres: lets everything through but notifications, as a pooler in transaction mode does. */
export function mute(server: { readonly host: string; readonly port: number }): Promise<Proxy> {
  return listen((client) => {
    const postgres = connect(server.port, server.host);
    postgres.on("error", () => client.destroy());
    client.pipe(postgres);
    client.on("close", () => postgres.destroy());
    let rest: Buffer = Buffer.alloc(0);
    postgres.on("data", (chunk: Buffer) => {
      const { messages, left } = split(Buffer.concat([rest, chunk]));
      rest = left;
      for (const message of messages) if (message[0] !== NOTIFICATION) client.write(message);
    });
    postgres.on("close", () => client.destroy());
  });
}

/** "A": an asynchronous notification. @source PostgreSQL, "Message Formats", NotificationResponse */
const NOTIFICATION = 0x41;

/** What a Postgres says is messages: a byte for the kind, four for the length that they and what follows have. */
function split(bytes: Buffer): { messages: Buffer[]; left: Buffer } {
  const messages: Buffer[] = [];
  let at = 0;
  while (bytes.length >= at + 5) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (bytes.length < end) break;
    messages.push(bytes.subarray(at, end));
    at = end;
  }
  return { messages, left: bytes.subarray(at) };
}

function join(client: Socket, server: Socket) {
  client.pipe(server);
  server.pipe(client);
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}

async function listen(connected: (client: Socket) => void): Promise<Proxy> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on("error", () => client.destroy()).on("close", () => open.delete(client));
    connected(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("A listening server has no port.");
  return {
    port: address.port,
    close() {
      server.close();
      for (const client of open) client.destroy();
    },
  };
}
