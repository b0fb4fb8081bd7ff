import { IS_THERE } from "../../access/queries.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Caller } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { addRoomText, forgetRoomTexts } from "../search/room-texts.ts";

/** A file as it is kept, without its bytes. Moments are ms since 1970, UTC. */
export interface FileRow {
  readonly number: number;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: string;
  readonly author: string;
  readonly at: number;
  readonly expires_at: number | null;
}

/** A part of a file's bytes, with the digest it was put with. */
export interface PartRow {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

const FILE_COLUMNS = sql`f.number, f.name, f.mime, f.size, f.sha256, f.author, f.at, f.expires_at`;

/** A condition on `files f`: what has expired does not exist, whether it was swept or not. */
function isLive(tx: Tx): Sql {
  return sql`(f.expires_at is null or f.expires_at > ${tx.now})`;
}

export function findFile(tx: Tx, organization: string, room: number, number: number): Promise<FileRow | undefined> {
  return tx.one<FileRow>(sql`
    select ${FILE_COLUMNS}
    from files f
    where f.organization = ${organization} and f.room = ${room} and f.number = ${number} and ${isLive(tx)}`);
}

/** The newest files (before `before`), newest first. */
export function listFileRows(
  tx: Tx,
  organization: string,
  room: number,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<FileRow[]> {
  const older = before === undefined ? sql.nothing : sql`and f.number < ${before}`;
  return tx.all<FileRow>(sql`
    select ${FILE_COLUMNS}
    from files f
    where f.organization = ${organization} and f.room = ${room} and ${isLive(tx)} ${older}
    order by f.number desc
    limit ${limit}`);
}

/** Which of these numbers are files of the room now. */
export async function listLiveNumbers(
  tx: Tx,
  organization: string,
  room: number,
  numbers: readonly number[],
): Promise<number[]> {
  if (numbers.length === 0) return [];
  const rows = await tx.all<{ number: number }>(sql`
    select f.number
    from files f
    where f.organization = ${organization} and f.room = ${room} and f.number in (${sql.list(numbers)}) and ${isLive(tx)}`);
  return rows.map((row) => row.number);
}

export interface NewFile {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: string;
  readonly expires_at: number | null;
}

/** Takes the room's next number, if the organization has room for so many bytes more. Nothing comes back when it has not, or when the room is gone. */
export async function takeNumber(
  tx: Tx,
  organization: string,
  room: number,
  size: number,
  quota: number,
): Promise<number | undefined> {
  const counter = await tx.one<{ last_file: number }>(sql`
    update rooms as r
    set last_file = last_file + 1
    where r.organization = ${organization} and r.id = ${room} and ${IS_THERE}
      and (select coalesce(sum(f.size), 0) + ${size} from files f where f.organization = ${organization}) <= ${quota}
      and (select count(*) from files f where f.organization = ${organization}) < ${LIMITS.filesPerOrganization}
    returning last_file`);
  return counter?.last_file;
}

/** How much an organization keeps: bytes, and files. What has expired counts until its bytes are freed. */
export async function sumFiles(tx: Tx, organization: string): Promise<{ bytes: number; files: number }> {
  const row = await tx.one<{ bytes: number; files: number }>(sql`
    select coalesce(sum(size), 0) as bytes, count(*) as files
    from files
    where organization = ${organization}`);
  return row ?? { bytes: 0, files: 0 };
}

export async function insertFile(
  tx: Tx,
  caller: Caller,
  room: number,
  number: number,
  { name, mime, size, sha256, expires_at }: NewFile,
): Promise<void> {
  await tx.run(sql`
    insert into files (organization, room, number, name, mime, size, sha256, author, at, expires_at)
    values (${caller.organization}, ${room}, ${number}, ${name}, ${mime}, ${size}, ${sha256}, ${caller.handle}, ${tx.now},
      ${expires_at})`);
  addRoomText(tx, keyOf(caller.organization, { room, number }), name);
}

/** Under what a file is found by its name. */
function keyOf(organization: string, { room, number }: { readonly room: number; readonly number: number }) {
  return { organization, kind: "file", room, id: String(number) } as const;
}

/** Where a part of a file is: `part` counts from 0. */
export interface PartKey {
  readonly organization: string;
  readonly room: number;
  readonly file: number;
  readonly part: number;
}

export async function insertPart(tx: Tx, key: PartKey, { sha256, bytes }: PartRow): Promise<void> {
  await tx.run(sql`
    insert into file_parts (organization, room, file, part, sha256, bytes)
    values (${key.organization}, ${key.room}, ${key.file}, ${key.part}, ${sha256}, ${bytes})`);
}

export function findPart(tx: Tx, key: PartKey): Promise<PartRow | undefined> {
  return tx.one<PartRow>(sql`
    select sha256, bytes
    from file_parts
    where organization = ${key.organization} and room = ${key.room} and file = ${key.file} and part = ${key.part}`);
}

/** Removes a file with its bytes if the caller put it there or is an admin. Gives what it was. */
export async function removeFile(tx: Tx, caller: Caller, room: number, number: number): Promise<FileRow | undefined> {
  const mayRemove = caller.roles.has("admin") ? sql.nothing : sql`and f.author = ${caller.handle}`;
  const removed = await tx.one<FileRow>(sql`
    delete from files as f
    where f.organization = ${caller.organization} and f.room = ${room} and f.number = ${number} and ${isLive(tx)} ${mayRemove}
    returning number, name, mime, size, sha256, author, at, expires_at`);
  if (removed) forgetRoomTexts(tx, [keyOf(caller.organization, { room, number })]);
  return removed;
}

/** Frees the bytes of files that have expired, the oldest first, `limit` of them. Gives how many. */
export async function dropExpired(tx: Tx, organization: string, limit: number): Promise<number> {
  const dropped = await tx.all<{ room: number; number: number }>(sql`
    delete from files
    where organization = ${organization} and (room, number) in (
      select f.room, f.number
      from files f
      where f.organization = ${organization} and f.expires_at <= ${tx.now}
      order by f.expires_at
      limit ${limit})
    returning room, number`);
  forgetRoomTexts(
    tx,
    dropped.map((file) => keyOf(organization, file)),
  );
  return dropped.length;
}

/** The organizations that keep bytes of files that have expired. */
export async function listOrganizationsWithExpired(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(sql`
    select o.id
    from organizations o
    where exists (
      select 1
      from files f
      where f.organization = o.id and f.expires_at <= ${tx.now})
    order by o.id`);
  return rows.map((row) => row.id);
}
