import assert from "node:assert/strict";
import { join } from "node:path";
import type { HubProcess } from "./hub-process.ts";
import type { Report } from "./report.ts";
import { runProgram } from "./run-program.ts";

const PROGRAM = join(
  import.meta.dirname,
  "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);

/** The MCP Inspector's command line, which judges what it is served. `home`: a folder for what it keeps. */
export async function checkInspector({ section, check }: Report, hub: HubProcess, home: string): Promise<void> {
  for (const era of ["legacy", "modern"] as const) {
    await section(`MCP Inspector, ${era} era, on ${hub.store}`, async () => {
      const token = await hub.mint(`ivy-${era}`, `inspector-${era}`);
      const inspect = (method: string, ...args: string[]) => runInspector(hub, { token, era, home }, method, args);

      await check("tools/list --strict finds no schema that some client could not use", async () => {
        const { code, out, err } = await inspect("tools/list", "--strict");
        assert.equal(code, 0, err);
        assert.doesNotMatch(err, /warning|error/i);
        assert((JSON.parse(out).tools ?? JSON.parse(out).result.tools).length > 10);
      });
      await check("tools/call posts a message", async () => {
        const { code, out, err } = await inspect(
          "tools/call",
          "--tool-name",
          "post_message",
          "--tool-args-json",
          '{"body":"inspected"}',
        );
        assert.equal(code, 0, err);
        assert.match(out, /message_id/);
      });
      await check("tools/call shows a refusal as one", async () => {
        const { code, out, err } = await inspect(
          "tools/call",
          "--tool-name",
          "get_task",
          "--tool-args-json",
          '{"task_id":999}',
        );
        assert.notEqual(code, 0);
        assert.match(out + err, /task_not_found/);
      });
      for (const method of ["prompts/list", "resources/list", "resources/templates/list"]) {
        await check(`${method} works`, async () => {
          const { code, out, err } = await inspect(method);
          assert.equal(code, 0, err);
          assert.match(out, /"name"/);
        });
      }
    });
  }
}

interface Setting {
  readonly token: string;
  readonly era: string;
  readonly home: string;
}

function runInspector({ url }: HubProcess, { token, era, home }: Setting, method: string, args: readonly string[]) {
  const about = [
    "--transport",
    "http",
    "--protocol-era",
    era,
    "--header",
    `Authorization: Bearer ${token}`,
    "--format",
    "json",
  ];
  return runProgram(process.execPath, [PROGRAM, "--cli", `${url}/mcp`, ...about, "--method", method, ...args], {
    env: { ...process.env, HOME: home },
    cwd: home,
  });
}
