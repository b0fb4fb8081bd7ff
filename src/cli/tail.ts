import type { Command } from "commander";
import { followStream, type StreamFrame } from "../client/event-stream.ts";
import { onOneLine } from "../core/frame.ts";
import { connectionFrom, type ConnectionOptions, withConnection } from "./connection.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

interface TailOptions extends ConnectionOptions, OutputOption {
  readonly room?: string;
  readonly after?: string;
}

/** `tail`: a room's messages and events as they come, until interrupted. */
export function addTailCommand(program: Command, shell: Shell): void {
  withConnection(
    withOutput(program.command("tail").description("follow a room: its messages and what happens on its board")),
  )
    .option("--room <name>", "the room; the token's own unless given")
    .option("--after <place>", "now, all, or the id of an event; the latest 25 unless given")
    .action((options: TailOptions) => tail(shell, options));
}

async function tail({ output }: Shell, options: TailOptions) {
  const connection = connectionFrom(options, output);
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
  const frames = followStream(connection, {
    room: options.room ?? connection.room,
    after: options.after,
    signal: interrupted.signal,
    onChange(change) {
      if (change !== "open") output.note(`${change.lost} Trying again in ${(change.retryIn / 1_000).toFixed(1)} s.`);
    },
  });
  for await (const frame of frames) {
    if (options.json)
      output.value({ event: frame.event, id: frame.id ?? null, data: JSON.parse(frame.data) as unknown });
    else showFrame(frame, (text) => output.say(text));
  }
}

/** Every line of a text is set off, so that none passes for a line of ours. */
function showFrame({ event, data }: StreamFrame, say: (text: string) => void) {
  if (event !== "chat" && event !== "activity") return;
  const item = JSON.parse(data) as Record<string, unknown>; // the hub's own frames are objects
  const at = String(item["ts"] ?? "").slice(11, 19);
  if (event === "chat") {
    const reply = item["reply_to"] ? ` (to m${item["reply_to"]})` : "";
    say(`${at} m${item["id"]} ${item["author"]}${reply}`);
    for (const line of String(item["body"] ?? "").split("\n")) say(`  | ${line}`);
  } else if (item["kind"] !== "message") {
    const task = item["task_id"] ? ` #${item["task_id"]}` : "";
    say(
      `${at} ${item["actor"]} ${item["kind"]}${task}${item["detail"] ? `: ${onOneLine(String(item["detail"]))}` : ""}`,
    );
  }
}
