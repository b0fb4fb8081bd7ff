import { type GetPromptResult, type Prompt, ProtocolError } from "@modelcontextprotocol/server";
import { HubError } from "../core/errors.ts";
import { framePlain, type PeerText, printable } from "../core/frame.ts";
import type { Operation } from "../core/operation.ts";
import { writeBounded } from "./mcp-answer.ts";
import { refusal, run, type Surroundings } from "./mcp-call.ts";
import { RPC } from "./mcp-protocol.ts";

export interface Prompts {
  readonly list: Prompt[];
  readonly get: (
    around: Surroundings,
    name: string,
    given: Readonly<Record<string, string>>,
  ) => Promise<GetPromptResult>;
}

interface Recipe {
  readonly name: string;
  readonly description: string;
  /** What the model is asked to do with what follows. */
  readonly ask: (room: string) => string;
  /** Whose answers follow. */
  readonly shows: readonly { readonly operation: string; readonly input: Readonly<Record<string, unknown>> }[];
}

const NEWS = { operation: "whats_new", input: { peek: true, limit: 50 } };
const OPEN_TASKS = { operation: "list_tasks", input: { status: "open", limit: 50 } };

const RECIPES: readonly Recipe[] = [
  {
    name: "standup",
    description: "Says what happened in a room, who does what, and what is stuck.",
    ask: (room) =>
      `Write a stand-up for the room ${room}: what happened lately, who works on what, what is blocked, what is free. Give task and message numbers. Change nothing.`,
    shows: [NEWS, OPEN_TASKS],
  },
  {
    name: "board",
    description: "Shows a room's open tasks.",
    ask: (room) =>
      `Show the board of the room ${room} as a short table: number, status, holder, title; what is free first. Change nothing.`,
    shows: [OPEN_TASKS],
  },
  {
    name: "join",
    description: "Begins work in a room: what it is for, what is going on, what to take.",
    ask: (room) =>
      `You join the room ${room}. Read what it is for, what happened, and what is open. Say in two sentences what you found, then claim a task that you can do with claim_task, or ask in the chat.`,
    shows: [{ operation: "get_room_info", input: {} }, NEWS, OPEN_TASKS],
  },
];

const ROOM_ARGUMENT = { name: "room", description: "Room name; your token's room if left out", required: false };

/** Prompts over the operations there are; what others wrote comes inside the frame for plain text. */
export function makePrompts(operations: readonly Operation[]): Prompts {
  const known = new Map(operations.map((operation) => [operation.name, operation]));
  const recipes = RECIPES.filter(({ shows }) => shows.every(({ operation }) => known.has(operation)));
  return {
    list: recipes.map(({ name, description }) => ({ name, description, arguments: [ROOM_ARGUMENT] })),
    async get(around, name, { room, ...others }) {
      const recipe = recipes.find((each) => each.name === name);
      if (!recipe) throw new ProtocolError(RPC.params, `Unknown prompt: ${name.slice(0, 64)}`);
      const [unknown] = Object.keys(others);
      if (unknown !== undefined)
        throw new ProtocolError(RPC.params, `Unknown argument: ${unknown.slice(0, 64)}. Known is room.`);
      const answers: PeerText[] = [];
      for (const { operation, input } of recipe.shows) {
        const found = known.get(operation);
        if (!found) continue;
        const answer = await runOrThrow(around, found, { ...input, room });
        const text = writeBounded(found, answer, (value) => printable(inLines(value)));
        answers.push({ label: operation, text });
      }
      const text = `${recipe.ask(room ?? around.ask.caller.defaultRoom?.name ?? "")}\n\n${framePlain(answers)}`;
      return { description: recipe.description, messages: [{ role: "user", content: { type: "text", text } }] };
    },
  };
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
