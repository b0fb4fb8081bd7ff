import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Settings } from "../../config.ts";
import type { Finding } from "./finding.ts";

/** Less free than this (bytes) is a warning; less than that, and the next writes may be refused. */
const LITTLE = 1_073_741_824;
const TOO_LITTLE = 67_108_864;

/** Room on the disk of a SQLite database, and whether it can be written at all; a Postgres has a disk of its own. */
export function checkDisk({ DATABASE_URL, CREWROOM_DB }: Settings): Finding[] {
  if (DATABASE_URL) return [];
  const about = "disk";
  const folder = nearestFolder(resolve(CREWROOM_DB));
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const says = `${sizeText(free)} free at ${folder}`;
  if (free >= LITTLE) return [{ level: "ok", about, says }];
  const next = "make room, or move the database: writes are refused on a full disk, reading goes on";
  return [{ level: free < TOO_LITTLE ? "fail" : "warn", about, says: `only ${says}`, next }];
}

/** What the hub signs with: nobody else's to read, and there for every node. */
export function checkKey({ DATABASE_URL, CREWROOM_DB, CREWROOM_SECRET_KEY }: Settings): Finding[] {
  const about = "key";
  if (CREWROOM_SECRET_KEY) return [{ level: "ok", about, says: "CREWROOM_SECRET_KEY is set" }];
  if (DATABASE_URL) {
    const says = "CREWROOM_SECRET_KEY is not set; with DATABASE_URL it must be, the same on every node";
    return [{ level: "fail", about, says, next: "make one and keep it: openssl rand -base64 32" }];
  }
  const file = join(dirname(CREWROOM_DB), "crewroom.key");
  if (!existsSync(file)) return [{ level: "ok", about, says: `${file} will be made at the first start` }];
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) === 0) return [{ level: "ok", about, says: `${file}; keep a copy beside your backups` }];
  const says = `others on this machine may read ${file} (mode ${mode.toString(8)})`;
  return [{ level: "warn", about, says, next: `chmod 600 ${file}` }];
}

function nearestFolder(path: string): string {
  const folder = dirname(path);
  return existsSync(folder) || folder === path ? folder : nearestFolder(folder);
}

function sizeText(bytes: number): string {
  return bytes >= LITTLE ? `${(bytes / LITTLE).toFixed(1)} GiB` : `${Math.floor(bytes / 1_048_576)} MiB`;
}
