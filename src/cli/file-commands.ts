import { createHash } from "node:crypto";
import { createWriteStream, openAsBlob } from "node:fs";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, InvalidArgumentError } from "commander";
import { type AnswerOf, type Connection, openHubClient, reach, refusalOf } from "../client/hub-client.ts";
import { connectionFrom, type ConnectionOptions, withConnection } from "./connection.ts";
import { UsageError } from "./exit-codes.ts";
import { table } from "./output.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

interface FileOptions extends ConnectionOptions, OutputOption {
  readonly room?: string;
}
interface PutOptions extends FileOptions {
  readonly name?: string;
  readonly mime?: string;
  readonly expiresInHours?: string;
}

/** `file put|get|list|delete`: the files of a room, as bytes; none is in memory as a whole. */
export function addFileCommands(program: Command, shell: Shell): void {
  const file = program.command("file").description("files of a room");
  withRoom(file.command("put").description("put a file into the room").argument("<path>"))
    .option("--name <name>", "its name there; the file's own unless given")
    .option("--mime <type>", "what it is, such as text/plain")
    .option("--expires-in-hours <hours>", "when it is gone; never unless given")
    .action((path: string, options: PutOptions) => putFile(shell, path, options));
  withRoom(
    file
      .command("get")
      .description("save a file, whose digest is checked, or print it")
      .argument("<id>", "its number, 7 or f7", fileNumber)
      .argument("<path>", "where to, which must not be there yet; - is standard output"),
  ).action((id: number, path: string, options: FileOptions) => getFile(shell, id, path, options));
  withRoom(file.command("list").description("the room's files, newest first")).action((options: FileOptions) =>
    listFiles(shell, options),
  );
  withRoom(
    file.command("delete").description("remove a file for ever").argument("<id>", "its number", fileNumber),
  ).action((id: number, options: FileOptions) => deleteFile(shell, id, options));
}

function withRoom(command: Command): Command {
  return withConnection(withOutput(command)).option("--room <name>", "the room; the token's own unless given");
}

/** Who calls, and the room that is meant, where one was named. */
function placeFrom({ output }: Shell, options: FileOptions) {
  const connection = connectionFrom(options, output);
  const room = options.room ?? connection.room;
  return { connection, named: room === undefined ? {} : { room } };
}

async function putFile(shell: Shell, path: string, options: PutOptions) {
  const { connection, named } = placeFrom(shell, options);
  const { name = basename(path), mime = "application/octet-stream", expiresInHours: expires } = options;
  const query = new URLSearchParams({ name, ...named, ...(expires !== undefined && { expires_in_hours: expires }) });
  const response = await reach(connection, `/v1/files?${query.toString()}`, {
    method: "POST",
    body: await openToRead(path),
    headers: { "content-type": mime },
  });
  if (!response.ok) throw await refusalOf(connection, response);
  const put = (await response.json()) as AnswerOf<"put_file">; // the address is that operation's
  if (options.json) return shell.output.value(put);
  const until = put.expires_at === null ? "" : `, until ${put.expires_at}`;
  shell.output.say(`File f${put.file_id} is in room ${put.room}: ${put.name} (${put.size} bytes)${until}.`);
}

async function openToRead(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

async function getFile(shell: Shell, id: number, path: string, options: FileOptions) {
  const { connection, named } = placeFrom(shell, options);
  if (path === "-" && process.stdout.isTTY)
    throw new UsageError("Others' bytes are not printed to a terminal: pipe them on, or name a path.");
  const response = await reach(connection, `/v1/files/${id}?${new URLSearchParams(named).toString()}`, {
    method: "GET",
  });
  if (!response.ok) throw await refusalOf(connection, response);
  const size = await saveChecked(connection, response, path);
  if (path === "-") return;
  if (options.json) return shell.output.value({ file_id: id, path, size });
  shell.output.say(`File f${id} is saved as ${path} (${size} bytes).`);
}

/** Writes an answer's bytes out and compares their digest; what is not whole is not left on the disk. Gives how many there were. */
async function saveChecked({ url }: Connection, response: Response, path: string): Promise<number> {
  const digest = createHash("sha256");
  let size = 0;
  const count = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      digest.update(bytes);
      size += bytes.length;
      done(null, bytes);
    },
  });
  // Node's own type for a web stream differs from fetch's, which it is.
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  if (path === "-") {
    await pipeline(body, count, process.stdout, { end: false });
  } else {
    const made = { yes: false };
    const out = createWriteStream(path, { flags: "wx", mode: 0o600 }).once("open", () => (made.yes = true));
    await pipeline(body, count, out).catch(async (error: unknown) => {
      if (made.yes) await rm(path, { force: true });
      throw new UsageError(`It was not saved: ${error instanceof Error ? error.message : String(error)}.`);
    });
  }
  if (digest.digest("hex") === response.headers.get("x-crewroom-sha256")) return size;
  if (path !== "-") await rm(path, { force: true });
  throw new UsageError(`What came from ${url} is not what was put there.`);
}

async function listFiles(shell: Shell, options: FileOptions) {
  const { connection, named } = placeFrom(shell, options);
  const client = openHubClient(connection);
  const files: AnswerOf<"list_files">["files"] = [];
  for (let before: { before_id: number } | null = null; ;) {
    const page: AnswerOf<"list_files"> = await client.call("list_files", { ...named, ...before });
    files.push(...page.files);
    if (page.next === null) break;
    before = page.next;
  }
  if (options.json) return shell.output.value({ count: files.length, files });
  if (files.length === 0) return shell.output.say("There are no files.");
  const rows = files.map(({ id, name, size, author, ts, expires_at }) => [
    `f${id}`,
    name,
    String(size),
    author,
    ts,
    expires_at ?? "-",
  ]);
  shell.output.say(table(["id", "name", "bytes", "author", "put", "expires"], rows));
}

async function deleteFile(shell: Shell, file_id: number, options: FileOptions) {
  const { connection, named } = placeFrom(shell, options);
  const answer = await openHubClient(connection).call("delete_file", { file_id, ...named });
  if (options.json) return shell.output.value(answer);
  shell.output.say(`File f${file_id} is deleted: ${answer.deleted.name}.`);
}

function fileNumber(text: string): number {
  const match = /^f?([1-9]\d{0,14})$/.exec(text);
  if (!match) throw new InvalidArgumentError("It must be a file's number.");
  return Number(match[1]);
}
