// The demo's hub, as a process of its own so that it can be killed. Its parent asks it for what an operator may do, and for two
// things that nobody can ask a hub for: to move its clock, and to die.
import { operatorCaller } from "../src/access/operator.ts";
import { FIRST_ORGANIZATION, readSettings } from "../src/config.ts";
import { execute } from "../src/core/execute.ts";
import { startHub } from "../src/hub.ts";
import { operations } from "../src/operations.ts";
import { type Death, dieAt } from "./demo/die-at.ts";

/** What the parent may ask; it waits for the answer before it asks again. */
export type Asked =
  | { readonly operate: string; readonly input: Record<string, unknown> }
  | { readonly later: number }
  | { readonly dieAt: Death };

const clock = { offset: 0 };
const hub = await startHub(readSettings(), { clock });

process.on("disconnect", () => process.exit(0));
process.on("message", (asked: Asked) => void answer(asked));
process.send?.({ value: hub.port });

async function answer(asked: Asked) {
  try {
    process.send?.({ value: (await perform(asked)) ?? null });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
}

async function perform(asked: Asked): Promise<unknown> {
  if ("dieAt" in asked) return dieAt(hub, asked.dieAt);
  if ("later" in asked) {
    clock.offset += asked.later;
    return hub.callers.forget();
  }
  const operation = operations.find(({ name }) => name === asked.operate);
  if (!operation) throw new Error(`There is no operation ${asked.operate}.`);
  const caller = await operatorCaller(hub.store, FIRST_ORGANIZATION);
  return (await execute(hub.core, operation, { caller, input: asked.input })).value;
}
