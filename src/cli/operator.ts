import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { z } from "zod";
import { operatorCaller } from "../access/operator.ts";
import { addressesOf, reachableUrl, readSettings, type Settings } from "../config.ts";
import { type Core, execute } from "../core/execute.ts";
import { openFeed } from "../core/feed.ts";
import { openHandovers } from "../core/handovers.ts";
import type { Operation } from "../core/operation.ts";
import { findAddress } from "../features/organizations/queries.ts";
import { openStore, passwordsFor, ruleSettings } from "../hub.ts";
import type { Store } from "../store/store.ts";
import { UsageError } from "./exit-codes.ts";

/** The instance's operator at work: calls operations on the database itself, beside a running server. */
export interface Operator {
  readonly store: Store;
  readonly settings: Settings;
  /** Runs one call through the same checks, events and commit as any other; `room` for operations inside one. */
  call<Input extends z.ZodObject, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
    room?: string,
  ): Promise<z.output<Output>>;
}

/**
 * Opens the database that the settings name, for one command.
 *
 * @throws UsageError when there is none yet: a command run in the wrong folder must not make one.
 */
export async function withStore<T>(
  work: (store: Store, settings: Settings) => Promise<T>,
  { mayMake = false } = {},
): Promise<T> {
  const settings = readSettings();
  if (!mayMake && !settings.DATABASE_URL && !existsSync(settings.CREWROOM_DB)) {
    throw new UsageError(
      `There is no database ${resolve(settings.CREWROOM_DB)}. Set CREWROOM_DB, or make it with: crewroom init.`,
    );
  }
  const store = await openStore(settings, {});
  try {
    return await work(store, settings);
  } finally {
    await store.close();
  }
}

/** Opens the database as the operator of one organization. */
export function asOperator<T>(organization: string, work: (operator: Operator) => Promise<T>): Promise<T> {
  return withStore(async (store, settings) => {
    const address = settings.CREWROOM_PUBLIC_URL ? undefined : await store.read(findAddress);
    const rules = {
      ...ruleSettings(settings, store, { port: settings.PORT }),
      url: address ?? reachableUrl(settings),
      addresses: addressesOf(settings, settings.PORT, address),
    };
    const feed = openFeed(store, async () => new Map());
    const core: Core = {
      store,
      feed,
      handovers: openHandovers(),
      passwords: passwordsFor({ limit: 0, windowSeconds: 1 }),
      // No command here names a key of its own, so nothing is looked up by the digests.
      digestKey: randomBytes(32),
      sealKey: randomBytes(32),
      settings: rules,
      admit: async () => undefined,
      committed: () => undefined,
      checkAnswers: false,
    };
    try {
      return await work({
        store,
        settings,
        async call(operation, input, room) {
          // Made anew each time: the call before may have made a room.
          const caller = await operatorCaller(store, organization);
          const { value } = await execute(core, operation, {
            caller,
            input: { ...input, ...(room !== undefined && { room }) },
          });
          return value as z.output<typeof operation.output>; // the rule's answer, by the definition
        },
      });
    } finally {
      feed.close();
    }
  });
}
