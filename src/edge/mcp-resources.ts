import {
  ProtocolError,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { HubError } from "../core/errors.ts";
import type { Caller, Operation } from "../core/operation.ts";
import { writeAnswer } from "./mcp-answer.ts";
import { refusal, run, type Surroundings } from "./mcp-call.ts";
import { RPC } from "./mcp-protocol.ts";

export interface Resources {
  readonly templates: ResourceTemplateType[];
  readonly listFor: (caller: Caller) => Resource[];
  readonly read: (
    around: Surroundings,
    uri: string,
  ) => Promise<{ contents: { uri: string; mimeType: string; text: string }[] }>;
}

const JSON_TYPE = "application/json";
/** Rooms listed by name at most; the template reaches the others. */
const MOST_LISTED = 100;

interface Kind {
  readonly address: RegExp;
  readonly operation: Operation;
  readonly input: (room: string, number: string) => Record<string, unknown>;
}

/** What can be read as a resource: the answers of three queries, under an address of their own. */
export function makeResources(operations: readonly Operation[]): Resources {
  const kinds = [
    kind(operations, "get_room_info", /^crewroom:\/\/rooms\/([a-z0-9_-]{1,64})$/, (room) => ({ room })),
    kind(operations, "get_task", /^crewroom:\/\/rooms\/([a-z0-9_-]{1,64})\/tasks\/([1-9]\d{0,14})$/, (room, task) => ({
      room,
      task_id: Number(task),
    })),
    kind(operations, "get_file", /^crewroom:\/\/rooms\/([a-z0-9_-]{1,64})\/files\/([1-9]\d{0,14})$/, (room, file) => ({
      room,
      file_id: Number(file),
    })),
  ].flat();
  return {
    templates: [
      {
        name: "room",
        uriTemplate: "crewroom://rooms/{room}",
        description: "A room's description, address and notes.",
        mimeType: JSON_TYPE,
      },
      {
        name: "task",
        uriTemplate: "crewroom://rooms/{room}/tasks/{task}",
        description: "A task with its notes.",
        mimeType: JSON_TYPE,
      },
      {
        name: "file",
        uriTemplate: "crewroom://rooms/{room}/files/{file}",
        description: "A file with its content up to 16 KB.",
        mimeType: JSON_TYPE,
      },
    ],
    listFor: ({ rooms }) =>
      [...rooms.keys()]
        .slice(0, MOST_LISTED)
        .map((name) => ({ name, uri: `crewroom://rooms/${name}`, mimeType: JSON_TYPE })),
    async read(around, uri) {
      for (const { address, operation, input } of kinds) {
        const [, room, number] = address.exec(uri) ?? [];
        if (room === undefined) continue;
        const value = await runOrThrow(around, operation, input(room, number ?? ""), uri);
        return { contents: [{ uri, mimeType: JSON_TYPE, text: writeAnswer(operation, value) }] };
      }
      throw new ResourceNotFoundError(uri.slice(0, 200));
    },
  };
}

function kind(operations: readonly Operation[], name: string, address: RegExp, input: Kind["input"]): Kind[] {
  return operations.filter((operation) => operation.name === name).map((operation) => ({ address, operation, input }));
}

async function runOrThrow(around: Surroundings, operation: Operation, input: Record<string, unknown>, uri: string) {
  try {
    return await run(around, operation, input);
  } catch (error) {
    // What may not be seen does not exist, and says so in the same words.
    if (error instanceof HubError && (error.status === 404 || error.status === 403))
      throw new ResourceNotFoundError(uri);
    throw new ProtocolError(
      error instanceof HubError ? RPC.params : RPC.internal,
      refusal(error, operation.name, around),
    );
  }
}
