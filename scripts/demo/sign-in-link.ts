import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A link that signs a browser on this machine in, once. */
export interface SignInLink extends Disposable {
  readonly url: string;
  /** Resolves when it was opened. */
  readonly opened: Promise<void>;
}

/**
 * Gives a browser the session of a person of the story, and leads it to the hub. Browsers hand a cookie of `localhost` to all of
 * its ports, so another port can set it; a hub that is reached by others has no such link.
 *
 * @param cookie  the session's, as the hub set it.
 */
export async function openSignInLink(cookie: string, to: string): Promise<SignInLink> {
  const path = `/${randomBytes(16).toString("base64url")}`;
  let isOpen = true;
  let tell: () => void;
  const opened = new Promise<void>((resolve) => (tell = resolve));
  const server = createServer(({ url }, answer) => {
    const isRight = isOpen && url === path;
    answer.writeHead(isRight ? 303 : 404, isRight ? { "set-cookie": cookie, location: to } : {}).end();
    if (!isRight) return;
    isOpen = false;
    tell();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on an address
  return {
    url: `http://localhost:${port}${path}`,
    opened,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
