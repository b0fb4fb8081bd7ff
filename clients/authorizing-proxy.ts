import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A way to a hub that adds a credential, for clients that cannot be given one. */
export interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Forwards everything as it came (method, address, headers in their order and case, body) and adds the Authorization header.
 * Listens on loopback only.
 */
export async function openAuthorizingProxy(target: string, token: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, rawHeaders } = incoming;
    const headers = [...rawHeaders, "Authorization", `Bearer ${token}`];
    const forward = request({ hostname, port, method, path, headers, setHost: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    forward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forward.destroy());
    incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo; // it listens on an address, not on a pipe
  return {
    url: `http://127.0.0.1:${own}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
