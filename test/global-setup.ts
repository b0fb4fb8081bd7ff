import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * One Postgres for the whole run; its administrator's URL goes to the tests as `CREWROOM_TEST_POSTGRES_URL`.
 * Not started when the URL is given from outside or `CREWROOM_TEST_STORES` leaves Postgres out.
 */
export default async function startOnePostgres(): Promise<() => Promise<void>> {
  const stores = (process.env["CREWROOM_TEST_STORES"] ?? "sqlite,postgres").split(",");
  if (!stores.includes("postgres") || process.env["CREWROOM_TEST_POSTGRES_URL"]) return async () => {};

  const script = fileURLToPath(new URL("postgres.mjs", import.meta.url));
  const postgres = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => postgres.once("exit", () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    postgres.stdout.setEncoding("utf8").once("data", resolve);
    postgres.once("error", reject);
    postgres.once("exit", (code) => reject(new Error(`Postgres for the tests did not start (${code}).`)));
  });
  process.env["CREWROOM_TEST_POSTGRES_URL"] = (JSON.parse(line) as { url: string }).url;

  return async () => {
    postgres.stdin.end();
    await ended;
  };
}
