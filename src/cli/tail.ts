import type { Command } from "commander";
import { type FollowOptions, followStream, type StreamFrame } from "../client/event-stream.ts";
import { onOneLine } from "../core/frame.ts";
import { connectionFrom, type ConnectionOptions, withConnection } from "./connection.ts";
import { OTHER_ADDRESS, UsageError } from "./exit-codes.ts";
import type { Output } from "./output.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

interface TailOptions extends ConnectionOptions, OutputOption {
  readonly room?: string;
  readonly after?: string;
  readonly all?: true;
  readonly board?: true;
}

/** `tail`: a room's messages and events as they come, until interrupted. */
export function addTailCommand(program: Command, shell: Shell): void {
  withConnection(
    withOutput(program.command("tail").description("follow a room: its messages and what happens on its board")),
  )
    .option("--room <name>", "the room; the token's own unless given")
    .option("--after <place>", "now, all, or the id of an event; the latest 25 unless given")
    .option("--all", "from the oldest on: --after all")
    .option("--board", "print the board at the start, and again when it has changed")
    .option("--no-colour", "as ChatRoomMCP's; there are no colours")
    .action((options: TailOptions) => tail(shell, options));
}

async function tail({ output }: Shell, options: TailOptions) {
  if (options.all && options.after !== undefined) throw new UsageError("--all goes not together with --after.");
  const connection = connectionFrom(options, output);
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  const frames = followStream(connection, {
    room: options.room ?? connection.room,
    after: options.all ? "all" : options.after,
    snapshots: options.board,
    signal: interrupted.signal,
    onChange: sayOnce(connection.url, output),
  });
  let lastMessage = 0;
  for await (const frame of frames) {
    const message = frame.event === "chat" ? messageNumber(frame) : undefined;
    if (message !== undefined && message <= lastMessage) continue;
    lastMessage = message ?? lastMessage;
    if (options.json)
      output.value({ event: frame.event, id: frame.id ?? null, data: JSON.parse(frame.data) as unknown });
    else if (frame.event !== "board" || options.board) for (const line of linesOf(frame)) output.say(line);
  }
}

/** Tells of each change of state, not of each try: it goes on for as long as it must. */
function sayOnce(url: string, output: Output): FollowOptions["onChange"] {
  let state: "new" | "open" | "lost" = "new";
  return (change) => {
    if (change === "open") {
      if (state === "lost") output.note(`Following ${url} again.`);
      state = "open";
    } else {
      // An address that has answered is the right one.
      const hint = state === "new" ? ` ${OTHER_ADDRESS}` : "";
      if (state !== "lost") output.note(`${change.lost} Trying again until it answers; Ctrl-C ends that.${hint}`);
      state = "lost";
    }
  };
}

/** A message may come again after a cut; its number tells. */
function messageNumber({ data }: StreamFrame): number {
  return (JSON.parse(data) as ChatFrame).id; // the event's name says so
}

/** What is shown of the stream's frames; see `followStream`. */
interface ChatFrame {
  readonly id: number;
  readonly ts: string;
  readonly author: string;
  readonly body: string;
  readonly reply_to: number | null;
  readonly attachments?: readonly number[];
}
interface ActivityFrame {
  readonly ts: string;
  readonly kind: string;
  readonly actor: string;
  readonly task_id: number | null;
  readonly file_id?: number;
  readonly detail: string;
}
interface QuestionFrame {
  readonly ts: string;
  readonly kind: string;
  readonly actor: string;
  readonly message_id: number;
  readonly from?: string;
  readonly to?: string;
}

interface BoardTask {
  readonly id: number;
  readonly status: string;
  readonly assignee: string | null;
  readonly title: string;
}

/** The board, newest task first, set off like a text. */
function boardOf(tasks: readonly BoardTask[]): string[] {
  const lines = tasks.map(
    ({ id, status, assignee, title }) =>
      `  | #${id} ${status}${assignee === null ? "" : ` ${assignee}`}: ${onOneLine(title)}`,
  );
  return ["the board:", ...(lines.length === 0 ? ["  | nothing"] : lines)];
}

/** Frames in the words of a terminal. Every line of a text is set off, so that none passes for a line of ours. */
function linesOf({ event, data }: StreamFrame): string[] {
  if (event === "chat") {
    const { id, ts, author, body, reply_to, attachments } = JSON.parse(data) as ChatFrame; // the event's name says so
    const files = attachments === undefined ? "" : ` with ${attachments.map((number) => `f${number}`).join(" ")}`;
    const head = `${clockOf(ts)} m${id} ${author}${reply_to === null ? "" : ` (to m${reply_to})`}${files}`;
    return [head, ...body.split("\n").map((line) => `  | ${line}`)];
  }
  if (event === "question") {
    const { ts, kind, actor, message_id, from, to } = JSON.parse(data) as QuestionFrame; // the same
    return [`${clockOf(ts)} ${actor} ${kind} q${message_id}${from ? ` from ${from}` : ""}${to ? ` to ${to}` : ""}`];
  }
  if (event === "board") return boardOf(JSON.parse(data) as readonly BoardTask[]); // the same
  if (event !== "activity") return [];
  const { ts, kind, actor, task_id, file_id, detail } = JSON.parse(data) as ActivityFrame; // the same
  // A message comes as a chat frame, with all of its text.
  if (kind === "message") return [];
  const subject = task_id === null ? (file_id === undefined ? "" : ` f${file_id}`) : ` #${task_id}`;
  return [`${clockOf(ts)} ${actor} ${kind}${subject}${detail === "" ? "" : `: ${onOneLine(detail)}`}`];
}

function clockOf(time: string): string {
  return time.slice(11, 19);
}
