import { readFileSync, statSync } from "node:fs";
import type { Command } from "commander";
import type { Connection } from "../client/hub-client.ts";
import { readClientSettings } from "../config.ts";
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

/** Who calls where, from the environment and the options. */
export function connectionFrom(
  { url, tokenFile }: ConnectionOptions,
  output: Output,
): Connection & { readonly room: string | undefined } {
  const settings = readClientSettings();
  if (url !== undefined && !URL.canParse(url)) throw new UsageError("--url must be an http or https address.");
  return {
    url: url ?? settings.url,
    token: tokenFile === undefined ? settings.token : readToken(tokenFile, output),
    room: settings.room,
  };
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
