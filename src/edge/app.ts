import type { Callers } from "../access/caller.ts";
import type { Outbound } from "../access/outbound.ts";
import { openSeal } from "../access/seal.ts";
import type { SecretKey } from "../access/secret-key.ts";
import { openCallLimit, type Throttle } from "../access/throttle.ts";
import type { Core } from "../core/execute.ts";
import type { Log } from "../core/log.ts";
import type { Operation } from "../core/operation.ts";
import type { PageOperations } from "../page-operations.ts";
import { makeAnswerer } from "./answerer.ts";
import type { Route } from "./exchange.ts";
import { downloadRoute, type FileReader } from "./file-download.ts";
import { uploadRoute } from "./file-upload.ts";
import { inboundOperations } from "./inbound/operations.ts";
import { CALLS_OF_A_HOOK, inboundRoute } from "./inbound/route.ts";
import type { Mcp } from "./mcp.ts";
import { type FigureReaders, type MetricsSettings, openMetrics } from "./metrics.ts";
import { type Gate, type GateSettings, openGate } from "./middleware.ts";
import { challenge } from "./oauth/challenge.ts";
import { type OAuthSettings, oauthRoutes } from "./oauth/routes.ts";
import { openApiRoute } from "./openapi.ts";
import { refusalPage } from "./pages/refusal-page.ts";
import { pageRoutes } from "./pages/routes.ts";
import type { TransportSettings } from "./pages/transport.ts";
import { openVisits } from "./pages/visit.ts";
import { presenceRoute } from "./presence.ts";
import { restRoutes } from "./rest.ts";
import { makeRouter } from "./router.ts";
import type { AgentScript } from "./scripts.ts";
import { listen, type Listening } from "./server.ts";
import { setupPageRoutes } from "./setup-page.ts";
import { openStreams, type StreamParts } from "./stream.ts";
import { v1Routes } from "./v1.ts";
import type { WebBuild } from "./web/assets.ts";
import { consoleRoutes } from "./web/console.ts";

export interface HttpParts extends StreamParts {
  readonly core: Core;
  readonly callers: Callers;
  readonly throttle: Throttle;
  readonly operations: readonly Operation[];
  /** The programs for agents' machines that are handed out. */
  readonly scripts: readonly AgentScript[];
  readonly pageOperations: PageOperations;
  /** The console, if it was built. */
  readonly web: WebBuild | undefined;
  readonly fileReader: FileReader;
  readonly figureReaders: FigureReaders;
  /** What pages sign cookies and forms with. */
  readonly secretKey: SecretKey;
  readonly outbound: Outbound;
  readonly settings: GateSettings & TransportSettings & OAuthSettings & MetricsSettings;
  readonly mcp: Pick<Mcp, "handle">;
  readonly log: Log;
}

export interface Http {
  /** @throws the system's error when the port is taken. */
  listen(host: string, port: number): Promise<Listening>;
}

/** Bytes that the slowest sender of a file sends in a millisecond: 64 KB in a second. */
const SLOWEST_SENDER = 64;

function operationNamed(operations: readonly Operation[], name: string): Operation {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
}

/** Every address of the hub behind one gate. */
export function openHttp(parts: HttpParts): Http {
  const { core, operations, settings, log } = parts;
  const streams = openStreams(parts);
  const gate = openGate(settings, parts.callers, parts.throttle);
  const visits = openVisits(parts);
  const metrics = openMetrics({ core, settings, readers: parts.figureReaders, operations });
  const routes: Route[] = [
    ...restRoutes(core, operations, gate),
    ...v1Routes(parts),
    ...bodyRoutes(parts, gate),
    presenceRoute(core, parts.callers),
    metrics.route,
    streams.route,
    {
      method: "POST",
      path: "/mcp",
      takesGuests: true,
      run: (ask) => parts.mcp.handle(ask, gate.signInByTool),
    },
    openApiRoute(operations, core.settings.version),
    ...setupPageRoutes(core.settings),
    ...oauthRoutes({ ...parts, visits, operations: parts.pageOperations }),
    ...consoleRoutes(visits, parts.web, settings),
    ...pageRoutes(visits, parts.pageOperations, core.settings),
  ];
  const answer = makeAnswerer({
    store: core.store,
    log,
    count: metrics.count,
    gate,
    find: makeRouter(routes),
    publicUrl: settings.CREWROOM_PUBLIC_URL,
    challengeFor: ({ host, authorization }) => challenge(core.settings.url, host, authorization !== undefined),
    refusalPage,
  });
  return {
    async listen(host, port) {
      const listening = await listen(answer, { host, port, log, bodyMs: core.settings.maxFileBytes / SLOWEST_SENDER });
      const close = () => listening.close().finally(streams.close);
      return { port: listening.port, close };
    },
  };
}

/** What has a body of its own form, and an operation behind it. */
function bodyRoutes({ core, operations, fileReader, secretKey }: HttpParts, gate: Gate): Route[] {
  const seal = openSeal(() => secretKey);
  const named = (name: string) => operationNamed(operations, name);
  return [
    uploadRoute({ core, putFile: named("put_file") }),
    downloadRoute({ core, getFile: named("get_file"), fileReader }),
    inboundRoute({ core, gate, seal, admit: openCallLimit(CALLS_OF_A_HOOK), operations: inboundOperations(named) }),
  ];
}
