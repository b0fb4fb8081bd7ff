import type { Command } from "commander";
import type { z } from "zod";
import { archiveRoom } from "../features/rooms/archive-room.ts";
import { createRoom } from "../features/rooms/create-room.ts";
import { deleteRoom } from "../features/rooms/delete-room.ts";
import { getRoomInfo } from "../features/rooms/get-room-info.ts";
import { listRooms } from "../features/rooms/list-rooms.ts";
import { renameRoom } from "../features/rooms/rename-room.ts";
import { setRetention } from "../features/rooms/set-retention.ts";
import { setRoomInfo } from "../features/rooms/set-room-info.ts";
import { UsageError } from "./exit-codes.ts";
import { asOperator } from "./operator.ts";
import { table } from "./output.ts";
import { type OrganizationOption, type Shell, wholeNumber, withOrganization } from "./shell.ts";

interface InfoOptions extends OrganizationOption {
  readonly description?: string;
  readonly repoUrl?: string;
  readonly onboardingNotes?: string;
}

/** `room add|list|info|retention|rename|archive|delete`. */
export function addRoomCommands(program: Command, shell: Shell): void {
  const room = program.command("room").description("rooms");
  withInfo(room.command("add").description("make a room").argument("<name>")).action(
    (name: string, options: InfoOptions) => addRoom(shell, name, options),
  );
  withOrganization(room.command("list").description("rooms, with what is in them")).action(
    (options: OrganizationOption) => showRooms(shell, options),
  );
  withInfo(
    room.command("info").description("show a room's information, after setting what is given").argument("<name>"),
  ).action((name: string, options: InfoOptions) => roomInfo(shell, name, options));
  withOrganization(
    room
      .command("retention")
      .description("how many days a room keeps messages, files and events; shown unless --days is given")
      .argument("<name>"),
  )
    .option("--days <days>", "0 for ever; what is older is removed at once, for ever", wholeNumber)
    .action((name: string, options: RetentionOptions) => retention(shell, name, options));
  withOrganization(
    room
      .command("rename")
      .description("give a room another name; who may enter it still may")
      .argument("<name>")
      .argument("<new name>"),
  ).action((name: string, to: string, options: OrganizationOption) => rename(shell, name, to, options));
  withOrganization(
    room.command("archive").description("let a room be read, and no more be written in").argument("<name>"),
  )
    .option("--undo", "open it again")
    .action((name: string, options: OrganizationOption & { undo?: true }) => archive(shell, name, options));
  withOrganization(
    room.command("delete").description("remove a room and everything in it, for ever").argument("<name>"),
  )
    .option("--yes", "do it")
    .action((name: string, options: OrganizationOption & { yes?: true }) => removeRoom(shell, name, options));
}

interface RetentionOptions extends OrganizationOption {
  readonly days?: number;
}

function withInfo(command: Command): Command {
  return withOrganization(command)
    .option("--description <text>", "what the room is for")
    .option("--repo-url <url>", "where its code is")
    .option("--onboarding-notes <text>", "what a newcomer is told");
}

function infoFrom({ description, repoUrl, onboardingNotes }: InfoOptions) {
  return {
    ...(description !== undefined && { description }),
    ...(repoUrl !== undefined && { repo_url: repoUrl }),
    ...(onboardingNotes !== undefined && { onboarding_notes: onboardingNotes }),
  };
}

async function addRoom({ output }: Shell, name: string, options: InfoOptions) {
  const answer = await asOperator(options.org, (operator) => operator.call(createRoom, { name, ...infoFrom(options) }));
  if (options.json) return output.value(answer);
  output.say(`Room ${name} is made.`);
}

async function showRooms({ output }: Shell, { json, org }: OrganizationOption) {
  const rooms = await asOperator(org, async (operator) => {
    const all: z.output<typeof listRooms.output>["rooms"] = [];
    for (let after = ""; ;) {
      const page = await operator.call(listRooms, { after, limit: 500 });
      all.push(...page.rooms);
      if (page.next === null) return all;
      after = page.next;
    }
  });
  if (json) return output.value({ count: rooms.length, rooms });
  const rows = rooms.map((room) => [room.name, String(room.open_tasks), String(room.messages), room.description]);
  output.say(table(["ROOM", "OPEN TASKS", "MESSAGES", "DESCRIPTION"], rows));
}

async function roomInfo({ output }: Shell, name: string, options: InfoOptions) {
  const info = infoFrom(options);
  const answer = await asOperator(options.org, async (operator) => {
    if (Object.keys(info).length > 0) await operator.call(setRoomInfo, info, name);
    return operator.call(getRoomInfo, {}, name);
  });
  if (options.json) return output.value(answer);
  output.page(answer);
}

async function retention({ output }: Shell, name: string, { json, org, days }: RetentionOptions) {
  const answer = await asOperator(org, async (operator) =>
    days === undefined
      ? { room: name, retention_days: (await operator.call(getRoomInfo, {}, name)).retention_days }
      : operator.call(setRetention, { days }, name),
  );
  if (json) return output.value(answer);
  const kept = answer.retention_days === null ? "for ever" : `for ${answer.retention_days} days`;
  output.say(
    `Room ${name} keeps messages, files and events ${kept}.${"pruned_now" in answer ? ` ${removedNow(answer)}` : ""}`,
  );
}

function removedNow({ pruned_now: { events, messages, files }, more }: z.output<typeof setRetention.output>): string {
  const now = `Removed now: ${events} events, ${messages} messages, ${files} files.`;
  return more ? `${now} The rest goes while a server runs.` : now;
}

async function rename({ output }: Shell, name: string, to: string, { json, org }: OrganizationOption) {
  const answer = await asOperator(org, (operator) => operator.call(renameRoom, { room: name, to }));
  if (json) return output.value(answer);
  output.say(`Room ${name} is ${to} now.`);
}

async function archive({ output }: Shell, name: string, { json, org, undo }: OrganizationOption & { undo?: true }) {
  const answer = await asOperator(org, (operator) => operator.call(archiveRoom, { room: name, archived: !undo }));
  if (json) return output.value(answer);
  output.say(answer.archived ? `Room ${name} can be read, and written in no more.` : `Room ${name} is open again.`);
}

async function removeRoom({ output }: Shell, name: string, { json, org, yes }: OrganizationOption & { yes?: true }) {
  if (!yes) throw new UsageError(`This removes room ${name} with its messages and tasks, for ever. Repeat with --yes.`);
  const answer = await asOperator(org, (operator) => operator.call(deleteRoom, { room: name }));
  if (json) return output.value(answer);
  const counts = Object.entries(answer.removed).map(([what, count]) => `${count} ${what}`);
  output.say(`Room ${name} is removed: ${counts.join(", ")}.`);
}
