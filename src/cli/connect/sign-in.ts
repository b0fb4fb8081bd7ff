import type { Credentials } from "../../agent/credentials.ts";
import { connectionFrom, type ConnectionOptions } from "../connection.ts";
import { UsageError } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import { readSecret } from "../password-prompt.ts";

/** The hub's address and a token: from the options or the environment, else as they were kept the last time, else asked for. */
export async function findCredentials(
  options: ConnectionOptions,
  output: Output,
  kept: string,
): Promise<Pick<Credentials, "url" | "token">> {
  const given = connectionFrom(options, output, kept);
  const url = given.url.replace(/\/+$/, "");
  if (given.token !== undefined && given.token !== "") return { url, token: given.token };
  const page = `${url}/connect`;
  if (!process.stdin.isTTY)
    throw new UsageError(
      `There is no token: give it in CREWROOM_TOKEN, or on standard input with --token-file -. A person makes one for an agent of its own at ${page}.`,
    );
  output.note(`Open ${page} in a browser, sign in, and make a token for this agent there.`);
  return { url, token: await readSecret("Paste it here (it is not shown): ") };
}
