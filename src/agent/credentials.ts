import { readFileSync } from "node:fs";

/** What `crewroom connect` keeps for programs that a client starts without a hub's address and token in their environment. */
export interface Credentials {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly room?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with what the file behind `--credentials` says. It was named on purpose, so it goes before what the
 * environment has; one that cannot be read changes nothing, and the program says that it has no token.
 */
export function withCredentials(args: readonly string[], environment: Environment): Environment {
  const path = valueOf("--credentials", args);
  const found = path === undefined ? undefined : readCredentials(path);
  if (!found) return environment;
  return { ...environment, CREWROOM_URL: found.url, CREWROOM_TOKEN: found.token, CREWROOM_ROOM: found.room };
}

/** @returns undefined for a file that is not there or holds something else. */
export function readCredentials(path: string): Credentials | undefined {
  try {
    const { url, token, room } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>; // looked at below
    if (typeof url !== "string" || typeof token !== "string") return undefined;
    return { url, token, ...(typeof room === "string" && { room }) };
  } catch {
    return undefined;
  }
}

/** What stands behind a name among the arguments, or after its `=`. */
export function valueOf(name: string, args: readonly string[]): string | undefined {
  const at = args.indexOf(name);
  return at >= 0 ? args[at + 1] : args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
}
