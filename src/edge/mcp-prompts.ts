import { type GetPromptResult, type Prompt, ProtocolError } from "@modelcontextprotocol/server";
import { HubError } from "../core/errors.ts";
import { framePlain, type PeerText, printable } from "../core/frame.ts";
import type { Operation, Role } from "../core/operation.ts";
import { writeBounded } from "./mcp-answer.ts";
import { refusal, run, type Surroundings } from "./mcp-call.ts";
import { RPC } from "./mcp-protocol.ts";
import { type Given, type Recipe, RECIPES } from "./mcp-recipes.ts";

export interface Prompts {
  /** Those whose every operation these roles may call. */
  readonly listFor: (roles: ReadonlySet<Role>) => Prompt[];
  readonly get: (around: Surroundings, name: string, given: Given) => Promise<GetPromptResult>;
}

/** Prompts over the operations there are; what others wrote comes inside the frame for plain text. */
export function makePrompts(operations: readonly Operation[]): Prompts {
  const known = new Map(operations.map((operation) => [operation.name, operation]));

  function isFor(roles: ReadonlySet<Role>, { uses }: Recipe): boolean {
    return uses.every((name) => {
      const needs = known.get(name)?.needs;
      return needs !== undefined && needs !== "anyone" && roles.has(needs);
    });
  }

  return {
    listFor: (roles) =>
      RECIPES.filter((recipe) => isFor(roles, recipe)).map(({ name, description, arguments: takes }) => ({
        name,
        description,
        arguments: [...takes],
      })),
    async get(around, name, given) {
      const { caller } = around.ask;
      const recipe = RECIPES.find((each) => each.name === name && isFor(caller.roles, each));
      if (!recipe) throw new ProtocolError(RPC.params, `Unknown prompt: ${name.slice(0, 64)}`);
      refuseArguments(recipe, given);
      const answers: PeerText[] = [];
      for (const { operation, input } of recipe.shows(given)) {
        const found = known.get(operation);
        if (!found) continue;
        const answer = await runOrThrow(around, found, input);
        const text = writeBounded(found, answer, (value) => printable(inLines(value)));
        answers.push({ label: operation, text });
      }
      const text = `${recipe.ask(given, given["room"] ?? caller.defaultRoom?.name ?? "")}\n\n${framePlain(answers)}`;
      return { description: recipe.description, messages: [{ role: "user", content: { type: "text", text } }] };
    },
  };
}

function refuseArguments({ arguments: takes }: Recipe, given: Given) {
  const unknown = Object.keys(given).find((name) => !takes.some((argument) => argument.name === name));
  const known = takes.map(({ name }) => name).join(", ") || "none";
  if (unknown !== undefined)
    throw new ProtocolError(RPC.params, `Unknown argument: ${unknown.slice(0, 64)}. Known: ${known}.`);
  const missing = takes.find(({ name, required }) => required && (given[name] ?? "").trim() === "");
  if (missing) throw new ProtocolError(RPC.params, `The argument ${missing.name} is required.`);
}

/** An answer as JSON, each item of a list on a line of its own. */
function inLines(answer: Readonly<Record<string, unknown>>): string {
  return Object.entries(answer)
    .map(
      ([field, value]) =>
        `${field}: ${Array.isArray(value) ? value.map((item) => `\n  ${JSON.stringify(item)}`).join("") : JSON.stringify(value)}`,
    )
    .join("\n");
}

async function runOrThrow(around: Surroundings, operation: Operation, input: Readonly<Record<string, unknown>>) {
  try {
    return await run(around, operation, input);
  } catch (error) {
    throw new ProtocolError(
      error instanceof HubError ? RPC.params : RPC.internal,
      refusal(error, operation.name, around),
    );
  }
}
