import type { z } from "zod";
import { toIso } from "../../core/fields.ts";
import { getTask } from "../../features/board/get-task.ts";
import { listTasks } from "../../features/board/list-tasks.ts";
import { readMessages } from "../../features/chat/read-messages.ts";
import { listSharedAnswers } from "../../features/export/queries.ts";
import { listFiles } from "../../features/files/list-files.ts";
import { findOrganization } from "../../features/organizations/queries.ts";
import { listMembers } from "../../features/people/list-members.ts";
import { getRoomInfo } from "../../features/rooms/get-room-info.ts";
import { listRooms } from "../../features/rooms/list-rooms.ts";
import type { Operator } from "../operator.ts";

type Answer<Operation extends { output: z.ZodType }> = z.output<Operation["output"]>;
export type ExportedMember = Answer<typeof listMembers>["members"][number];
export type ExportedMessage = Answer<typeof readMessages>["messages"][number];
export type ExportedTask = Answer<typeof getTask>["task"];
export type ExportedFile = Answer<typeof listFiles>["files"][number];
export type ExportedInfo = Omit<Answer<typeof getRoomInfo>, "you_are">;

/** A room, read a page at a time. */
export interface ExportedRoom {
  readonly info: ExportedInfo;
  messages(): AsyncGenerator<ExportedMessage>;
  tasks(): AsyncGenerator<ExportedTask>;
  files(): AsyncGenerator<ExportedFile>;
}

/** An answer that its person shared with a room, or with everybody. */
export interface ExportedAnswer {
  readonly message_id: number;
  readonly from_user_id: string;
  readonly to_user_id: string;
  readonly query_text: string;
  readonly final_response: string;
  readonly answered_at: string;
  readonly shared_with: string;
}

/** An organization as its operations answer it, oldest first, a page at a time. Questions stay with their two people. */
export interface Exported {
  readonly organization: { readonly id: string; readonly name: string; readonly created_at: string };
  members(): AsyncGenerator<ExportedMember>;
  rooms(): AsyncGenerator<ExportedRoom>;
  answers(): AsyncGenerator<ExportedAnswer>;
}

const PAGE = 200;

/** @param only  one room; undefined for all, with members and shared answers. */
export async function openExport(
  operator: Operator,
  organization: string,
  only: string | undefined,
): Promise<Exported> {
  const found = await operator.store.read((tx) => findOrganization(tx, organization));
  // The operator of an organization that is not there was refused before.
  const { id, name, created_at } = found ?? { id: organization, name: organization, created_at: 0 };
  return {
    organization: { id, name, created_at: toIso(created_at) },
    members: () => readMembers(operator),
    async *rooms() {
      if (only !== undefined) return yield await openRoom(operator, only);
      for await (const room of readRoomNames(operator)) yield await openRoom(operator, room);
    },
    answers: () => readAnswers(operator, organization),
  };
}

async function openRoom(operator: Operator, room: string): Promise<ExportedRoom> {
  const { you_are: _, ...info } = await operator.call(getRoomInfo, {}, room);
  return {
    info,
    async *messages() {
      for (let since_id = 0; ;) {
        const { messages, has_more } = await operator.call(readMessages, { since_id, limit: PAGE }, room);
        yield* messages;
        since_id = messages.at(-1)?.id ?? since_id;
        if (!has_more) return;
      }
    },
    async *tasks() {
      for (const id of await listTaskIds(operator, room)) yield await readTask(operator, room, id);
    },
    async *files() {
      for (let before_id: number | undefined; ;) {
        const { files, next } = await operator.call(listFiles, { before_id }, room);
        yield* files;
        if (next === null) return;
        before_id = next.before_id;
      }
    },
  };
}

/** The list is newest first. */
async function listTaskIds(operator: Operator, room: string): Promise<number[]> {
  const ids: number[] = [];
  for (let before_id: number | undefined; ;) {
    const { tasks, next } = await operator.call(listTasks, { before_id, limit: PAGE }, room);
    ids.push(...tasks.map((task) => task.id));
    if (next === null) return ids.reverse();
    before_id = next.before_id;
  }
}

async function readTask(operator: Operator, room: string, task_id: number): Promise<ExportedTask> {
  const { task, has_more } = await operator.call(getTask, { task_id }, room);
  if (!has_more) return task;
  const notes: ExportedTask["notes"] = [];
  for (let since_note = 0; ;) {
    const page = await operator.call(getTask, { task_id, since_note }, room);
    notes.push(...page.task.notes);
    since_note = notes.at(-1)?.id ?? since_note;
    if (!page.has_more) return { ...task, notes };
  }
}

async function* readMembers(operator: Operator): AsyncGenerator<ExportedMember> {
  for (let after = ""; ;) {
    const { members, next } = await operator.call(listMembers, { after });
    yield* members;
    if (next === null) return;
    after = next;
  }
}

async function* readRoomNames(operator: Operator): AsyncGenerator<string> {
  for (let after = ""; ;) {
    const { rooms, next } = await operator.call(listRooms, { after });
    yield* rooms.map((room) => room.name);
    if (next === null) return;
    after = next;
  }
}

async function* readAnswers({ store }: Operator, organization: string): AsyncGenerator<ExportedAnswer> {
  for (let after = 0; ;) {
    const rows = await store.read((tx) => listSharedAnswers(tx, organization, after, PAGE));
    for (const { number, asker, recipient, question, answer, answered_at, room } of rows) {
      after = number;
      yield {
        message_id: number,
        from_user_id: asker,
        to_user_id: recipient,
        query_text: question,
        final_response: answer,
        answered_at: toIso(answered_at),
        shared_with: room === null ? "organization" : `#${room}`,
      };
    }
    if (rows.length < PAGE) return;
  }
}
