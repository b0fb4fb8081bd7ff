import type { RuleSettings } from "../core/operation.ts";
import { json, NEVER_KEPT, type Route } from "./exchange.ts";

/** A program that runs beside a coding agent and is handed out by the hub, so that a machine needs no clone and no registry. */
export interface AgentScript {
  readonly name: string;
  readonly filename: string;
  readonly version: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Of the bytes, in hex. */
  readonly sha256: string;
  /** What else `/v1/client` tells of it. */
  readonly about?: object;
}

/** `/v1/<name>` for each program, and `/v1/client`, which tells a client whether it is stale. */
export function scriptRoutes(scripts: readonly AgentScript[], { version }: Pick<RuleSettings, "version">): Route[] {
  const listed = scripts.map(({ name, filename, version: own, sha256, bytes, about }) => [
    name,
    { filename, version: own, sha256, bytes: bytes.length, url: `/v1/${name}`, ...about },
  ]);
  const manifest = { server: { name: "crewroom", version }, scripts: Object.fromEntries(listed) as object };
  return [
    { method: "GET", path: "/v1/client", run: async () => json(200, manifest) },
    ...scripts.map((script): Route => ({ method: "GET", path: `/v1/${script.name}`, run: async () => served(script) })),
  ];
}

function served({ name, filename, version, type, bytes, sha256 }: AgentScript) {
  const headers = {
    ...NEVER_KEPT,
    "content-type": type,
    "content-disposition": `attachment; filename="${filename}"`,
    [`x-crewroom-${name}-version`]: version,
    [`x-crewroom-${name}-sha256`]: sha256,
  };
  return { status: 200, headers, body: bytes };
}

/** What an answer says of versions, so that a client that is stale learns it without asking. */
export function versionHeaders(
  scripts: readonly AgentScript[],
  { version }: Pick<RuleSettings, "version">,
): Readonly<Record<string, string>> {
  const own = scripts.map(({ name, version: ofScript }) => [`x-crewroom-${name}-version`, ofScript]);
  return { "x-crewroom-server-version": version, ...Object.fromEntries(own) };
}
