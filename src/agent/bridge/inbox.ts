import { connect } from "node:net";

/** Where a client takes messages for its session, and the word that opens it. */
export interface Inbox {
  readonly address: string;
  readonly token: string | undefined;
}

/** A client that takes no line within so long (ms) has no inbox any more. */
const PATIENCE = 2_000;

/** The inbox of the client that started this process; undefined where it has none. */
export function inboxOf(environment: Readonly<Record<string, string | undefined>>): Inbox | undefined {
  const address = environment["CLAUDE_CODE_MESSAGING_SOCKET"];
  return address ? { address, token: environment["CLAUDE_CODE_MESSAGING_TOKEN"] } : undefined;
}

/**
 * Puts a line of ours into the session's inbox, which wakes it. Never a text of others: the client's model takes it for a
 * teammate's word. Nobody says whether it was read; that is what the hook's calls show.
 *
 * @returns whether it was taken.
 * @source Claude Code, "Cross-session messaging"; the form of the lines is in its own debug output.
 */
export function putInto({ address, token }: Inbox, text: string): Promise<boolean> {
  const lines = [
    ...(token === undefined ? [] : [{ type: "auth", token }]),
    { type: "user", message: { role: "user", content: text } },
  ];
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (isTaken: boolean) => {
      socket.destroy();
      resolve(isTaken);
    };
    socket.setTimeout(PATIENCE, () => end(false));
    socket.on("error", () => end(false));
    socket.on("connect", () =>
      socket.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""), () => setTimeout(() => end(true), 100)),
    );
  });
}
