import { timingSafeEqual } from "node:crypto";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { hashToken } from "../access/tokens.ts";
import { fail } from "../core/errors.ts";
import type { Core } from "../core/execute.ts";
import type { Operation } from "../core/operation.ts";
import type { Tx } from "../store/store.ts";
import type { Ask, Reply, Route } from "./exchange.ts";
import { type LocalitySettings, openLocality } from "./locality.ts";

export interface MetricsSettings extends LocalitySettings {
  readonly CREWROOM_METRICS_TOKEN: string | undefined;
}

/** What is counted in the database when somebody asks. Times are ms since 1970, UTC. */
export interface FigureReaders {
  readonly readFigures: (tx: Tx) => Promise<Figures>;
  readonly findVerifiedBackup: (
    tx: Tx,
  ) => Promise<{ readonly made_at: number; readonly verified_at: number } | undefined>;
}

interface Figures {
  readonly organizations: number;
  readonly events: number;
  readonly tasks: readonly { readonly status: string; readonly count: number }[];
  readonly questions: readonly { readonly state: string; readonly count: number; readonly oldest_at: number }[];
  readonly deliveries: readonly {
    readonly path: string;
    readonly count: number;
    readonly total_ms: number;
    readonly longest_ms: number;
  }[];
  readonly failing: readonly { readonly kind: string; readonly count: number; readonly since: number }[];
  readonly file_bytes: number;
  readonly now: number;
}

export interface MetricsParts {
  readonly core: Pick<Core, "store" | "feed" | "settings">;
  readonly settings: MetricsSettings;
  readonly readers: FigureReaders;
  readonly operations: readonly Operation[];
}

/** What the hub counts of itself, and the address where Prometheus asks for it. */
export interface Metrics {
  /** Notes how one call ended. */
  readonly count: (call: { operation: string; outcome: string; seconds: number }) => void;
  readonly route: Route;
}

/** From a tenth of a millisecond to a waiting call's minute, in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60];

/** `/metrics`, in Prometheus' text form: for the hub's own machine, or with `CREWROOM_METRICS_TOKEN`. It names no member and no room. */
export function openMetrics({ core, settings, readers, operations }: MetricsParts): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry, prefix: "crewroom_" });
  const calls = new Counter({
    name: "crewroom_calls_total",
    help: "Calls by operation or address, and how they ended: ok or the error's code.",
    labelNames: ["operation", "outcome"] as const,
    registers,
  });
  const durations = new Histogram({
    name: "crewroom_call_seconds",
    help: "How long calls took; waiting ones wait.",
    labelNames: ["operation"] as const,
    buckets: BUCKETS,
    registers,
  });
  const live = liveGauges(registers, core);
  const stored = storedGauges(registers);

  /** Addresses that nobody serves would be names without end. */
  const known = new Set(operations.map(({ name }) => name));
  const nameOf = (operation: string) => (known.has(operation) || operation.startsWith("/") ? operation : "-");
  const refuseStranger = gateFor(settings);
  return {
    count({ operation, outcome, seconds }) {
      const name = nameOf(operation);
      calls.inc({ operation: name, outcome });
      durations.observe({ operation: name }, seconds);
    },
    route: {
      method: "GET",
      path: "/metrics",
      open: true,
      async run(ask): Promise<Reply> {
        refuseStranger(ask);
        live();
        stored(
          await core.store.read(async (tx) => ({
            ...(await readers.readFigures(tx)),
            backup: await readers.findVerifiedBackup(tx),
          })),
        );
        const headers = { "content-type": registry.contentType, "cache-control": "no-store" };
        return { status: 200, headers, body: await registry.metrics() };
      },
    },
  };
}

/** Gauges of the process, set anew each time. */
function liveGauges(registers: Registry[], { feed, store, settings }: MetricsParts["core"]): () => void {
  const streams = new Gauge({ name: "crewroom_streams_open", help: "Open streams and waiting calls.", registers });
  const deaf = "0 where LISTEN brings nothing, so that other nodes' news come by a look every second.";
  const hears = new Gauge({ name: "crewroom_hears_other_nodes", help: deaf, registers });
  const version = { name: "crewroom_version", help: "1, with the version.", labelNames: ["version"] as const };
  new Gauge({ ...version, registers }).set({ version: settings.version }, 1);
  return () => {
    streams.set(feed.open);
    hears.set(store.hears() === false ? 0 : 1);
  };
}

/** @returns what fails for whoever may not ask, as if there were no such address. */
function gateFor(settings: MetricsSettings): (ask: Ask) => void {
  const { CREWROOM_METRICS_TOKEN: token } = settings;
  const { isLocal } = openLocality(settings);
  if (token === undefined)
    return ({ headers }) => {
      if (!isLocal(headers)) throw fail("not_found", { what: "such address" });
    };
  const wanted = Buffer.from(hashToken(`Bearer ${token}`));
  return ({ headers }) => {
    const given = Buffer.from(hashToken(headers.authorization ?? ""));
    if (!timingSafeEqual(given, wanted)) throw fail("not_found", { what: "such address" });
  };
}

type Stored = Figures & { readonly backup: { readonly made_at: number; readonly verified_at: number } | undefined };

/** Gauges of what the database holds, set anew each time. */
function storedGauges(registers: Registry[]): (figures: Stored) => void {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `crewroom_${name}`, help, labelNames, registers });
  const organizations = gauge("organizations", "Organizations.");
  const events = gauge("log_events", "Events in all logs.");
  const tasks = gauge("tasks", "Tasks that are not finished.", "status");
  const questions = gauge("questions", "Questions that wait.", "state");
  const oldest = gauge("questions_oldest_seconds", "Age of the oldest question that waits.", "state");
  const delivered = gauge("deliveries_last_hour", "Mentions handed over within the last hour.", "path");
  const average = gauge("delivery_seconds_average", "From the message to its hand-over, within the last hour.", "path");
  const longest = gauge("delivery_seconds_longest", "The longest of them.", "path");
  const failing = gauge("outgoing_failing", "Webhooks, brokers and notices that do not get through.", "kind");
  const failed = gauge("outgoing_failing_seconds_longest", "Since when the first of them does not.", "kind");
  const files = gauge("file_bytes", "Bytes of all files.");
  const backup = gauge(
    "backup_verified_seconds",
    "Age of the last backup that was read back and found whole; absent: none.",
  );
  return (figures) => {
    organizations.set(figures.organizations);
    events.set(figures.events);
    files.set(figures.file_bytes);
    for (const one of [tasks, questions, oldest, delivered, average, longest, failing, failed, backup]) one.reset();
    for (const { status, count } of figures.tasks) tasks.set({ status }, count);
    for (const { state, count, oldest_at } of figures.questions) {
      questions.set({ state }, count);
      oldest.set({ state }, (figures.now - oldest_at) / 1_000);
    }
    for (const { path, count, total_ms, longest_ms } of figures.deliveries) {
      delivered.set({ path }, count);
      average.set({ path }, total_ms / count / 1_000);
      longest.set({ path }, longest_ms / 1_000);
    }
    for (const { kind, count, since } of figures.failing) {
      failing.set({ kind }, count);
      failed.set({ kind }, (figures.now - since) / 1_000);
    }
    if (figures.backup) backup.set((figures.now - figures.backup.made_at) / 1_000);
    else backup.remove();
  };
}
