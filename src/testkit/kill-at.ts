// Loaded before a hook or a watcher (`node --import`): kills the process, as a machine that dies does, at one of the points of its work.
import fs from "node:fs";
import http from "node:http";
import { syncBuiltinESMExports } from "node:module";

const point = process.env["CREWROOM_TEST_KILL_AT"];

function dieAt(where: string) {
  if (where === point) process.kill(process.pid, "SIGKILL");
}

// The library's methods have several signatures; what is passed on is what was given.
type AnyMethod = (...args: unknown[]) => unknown;

// What the hook asks the hub, and what it notes for its next run.
const request = http.request as AnyMethod;
http.request = ((url: unknown, options: unknown, answered: (incoming: http.IncomingMessage) => void) => {
  dieAt("before fetch");
  return request(url, options, (incoming: http.IncomingMessage) => {
    incoming.once("end", () => dieAt("after fetch"));
    answered(incoming);
  });
}) as typeof http.request;

const renameSync = fs.renameSync;
fs.renameSync = (from, to) => {
  dieAt("before note");
  renameSync(from, to);
  dieAt("after note");
};
syncBuiltinESMExports();

// What the watcher asks, and what it says of a line that is out.
const fetchAnswer = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const asks = typeof input === "string" && input.endsWith("/request_wake");
  const step = asks && typeof init?.body === "string" && init.body.includes("woken_for") ? "note" : "fetch";
  if (asks) dieAt(`before ${step}`);
  const response = await fetchAnswer(input, init);
  if (asks) dieAt(`after ${step}`);
  return response;
};

const write = process.stdout.write.bind(process.stdout) as AnyMethod;
process.stdout.write = ((text: unknown, ...rest: unknown[]) => {
  dieAt("before output");
  // A pipe takes what it is given at once: so it has left when this comes back.
  const taken = write(text, ...rest);
  dieAt("after output");
  return taken;
}) as typeof process.stdout.write;
