import { readFileSync, statSync } from "node:fs";
import type { Command } from "commander";
import type { Connection } from "../client/hub-client.ts";
import { readCredentials } from "../agent/credentials.ts";
import { agentEnvironment, readClientSettings } from "../config.ts";
import { placesIn } from "./connect/places.ts";
import { UsageError } from "./exit-codes.ts";
import type { Output } from "./output.ts";

export interface ConnectionOptions {
  readonly tokenFile?: string;
  readonly url?: string;
}

/** Adds what client commands take. There is no option for the token itself: arguments are seen by the whole machine. */
export function withConnection(command: Command): Command {
  return command
    .option("--url <url>", "the hub's address instead of CREWROOM_URL")
    .option("--token-file <path>", "read the token from this file instead of CREWROOM_TOKEN; - is standard input");
}

/**
 * Who calls where, from the options and the environment; where neither has a token, as `connect` kept it.
 *
 * @param kept  the file with what it kept.
 */
export function connectionFrom(
  { url: named, tokenFile }: ConnectionOptions,
  output: Output,
  kept = placesIn(agentEnvironment(), undefined).credentials,
): Connection & { readonly room: string | undefined } {
  const settings = readClientSettings();
  if (named !== undefined && !URL.canParse(named)) throw new UsageError("--url must be an http or https address.");
  const token = tokenFile === undefined ? settings.token : readToken(tokenFile, output);
  const found = token === undefined ? readCredentials(kept) : undefined;
  const url = named ?? (found && !settings.isUrlGiven ? found.url : settings.url);
  // A token goes to the hub that it is of, and to no other.
  const own = found?.url === url.replace(/\/+$/, "") ? found : undefined;
  return { url, token: token ?? own?.token, room: settings.room ?? own?.room };
}

function readToken(path: string, output: Output): string {
  try {
    if (path !== "-" && (statSync(path).mode & 0o077) !== 0)
      output.note(`Others on this machine may read ${path}: chmod 600 keeps the token to you.`);
    return readFileSync(path === "-" ? 0 : path, "utf8").trim();
  } catch (error) {
    throw new UsageError(
      `The token cannot be read from ${path}: ${error instanceof Error ? error.message : String(error)}.`,
      { cause: error },
    );
  }
}
