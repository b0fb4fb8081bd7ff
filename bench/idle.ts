// What an idle hub and its idle streams hold in memory: `npm run bench:idle -- [streams]`.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "./processes.ts";

const [streams = 10_000] = process.argv.slice(2).map(Number);
const PER_TOKEN = 90;
console.log(`  idle hub, as npm start runs it   ${(await idleMegabytes()).toFixed(0)} MB resident`);

const hub = await startServer("hub", 1_000, { BENCH_TOKENS: String(Math.ceil(streams / PER_TOKEN)) });
await settle();
const idle = await hub.ask<number>("memory");

const tokens = Object.entries(hub.ready.tokens).filter(([handle]) => handle.startsWith("load"));
const sockets: Socket[] = [];
for (let index = 0; index < streams; index++) {
  const token = tokens[Math.floor(index / PER_TOKEN)]?.[1] ?? "";
  sockets.push(await open(index, token));
}
await settle();
const held = await hub.ask<number>("memory");
console.log(
  `  ${String(streams).padEnd(6)} idle streams              ${((held - idle) / streams / 1_024).toFixed(1)} KiB each`,
);
for (const socket of sockets) socket.destroy();
hub.stop();

/** One address has too few ports for more than some 28,000 connections, so that several are used. */
function open(index: number, token: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const localAddress = `127.0.0.${2 + (index % 8)}`;
    const socket = connect({ host: "127.0.0.1", port: hub.ready.port, localAddress });
    socket.once("error", reject);
    socket.once("data", (head) => {
      socket.on("data", () => undefined);
      if (head.toString().startsWith("HTTP/1.1 200")) return resolve(socket);
      return reject(new Error(head.toString().slice(0, 200)));
    });
    socket.write(`GET /v1/stream?after=now HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`);
  });
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3_000));
}

/** Resident memory of the built hub on a new database, a few seconds after its start. */
async function idleMegabytes(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-idle-"));
  const env = { ...process.env, PORT: "0", CREWROOM_DB: join(folder, "crewroom.db") };
  const child = spawn(process.execPath, ["dist/crewroom.mjs", "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  await new Promise((resolve) => child.stderr.once("data", resolve));
  await settle();
  const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" }));
  child.kill();
  await new Promise((resolve) => child.once("exit", resolve));
  rmSync(folder, { recursive: true });
  return kilobytes / 1_024;
}
