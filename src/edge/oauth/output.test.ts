import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { runProcess, spawnCommand } from "../../testkit/command.ts";
import { openVisit, registerClient } from "../../testkit/oauth.ts";

const PASSWORD = "a password of the test";

it("the sign-in by browser prints one line for each call, with how it ended, and no secret", async () => {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-oauth-"));
  const database = { CREWROOM_DB: join(folder, "crewroom.db") };
  const server = spawnCommand(["serve", "--json"], { ...database, PORT: "0", CREWROOM_CHAT_LOGIN: "off" });
  const lines: string[] = [];
  let trouble = "";
  server.stderr?.on("data", (text: Buffer) => (trouble += text.toString()));
  if (!server.stdout) throw new Error("The server has no output.");
  const output = createInterface({ input: server.stdout });
  output.on("line", (line) => void lines.push(line));
  await once(output, "line");
  const { url } = JSON.parse(lines[0] ?? "") as { url: string }; // one object, by --json
  await runProcess(["person", "add", "ann", "--password-stdin"], database, PASSWORD);
  const client = await registerClient(url);
  const visit = openVisit(url, { token: "" });

  const page = await visit.get(`/oauth/authorize?${client.request().toString()}`);
  const account = { organization: "main", user: "ann", password: PASSWORD, next: page.path };
  const asked = await visit.submit(page, "/login", account);
  if (asked instanceof URL) throw new Error("The page that asks is not there.");
  const answer = await visit.send(asked, { decision: "allow" });
  const code = answer.searchParams.get("code") ?? "";
  const { body: given } = await client.exchange(code);
  const { body: next } = await client.refresh(given["refresh_token"]);
  const refused = await client.exchange("no-code-of-ours");
  const over = await visit.get(page.path);
  const odd = await visit.get(
    `/oauth/authorize?${client.request({ redirect_uri: "https://evil.example/" }).toString()}`,
  );
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true });

  expect([refused.status, over.status, odd.status, trouble]).toEqual([400, 410, 400, "Stopping.\n"]);
  const calls = lines.slice(1).map((line) => JSON.parse(line) as { operation: string; outcome: string });
  const ends = (operation: string) => calls.filter((call) => call.operation === operation).map((call) => call.outcome);
  expect(ends("/oauth/token")).toEqual(["ok", "ok", "400"]);
  expect(ends("/oauth/authorize")).toEqual(["ok", "400"]);
  expect(ends("/oauth/login/{id}")).toEqual(["ok", "ok", "ok", "sign_in_over"]);
  const secrets = [given["access_token"], given["refresh_token"], next["access_token"], next["refresh_token"]];
  for (const secret of [...secrets, code, client.verifier, PASSWORD, page.path.split("/").at(-1)])
    expect(lines.join("\n")).not.toContain(secret);
  expect(lines.join("\n")).not.toContain("oidc-provider");
});
