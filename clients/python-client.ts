import { join } from "node:path";
import type { HubProcess } from "./hub-process.ts";
import type { Report } from "./report.ts";
import { runProgram } from "./run-program.ts";

/** A line of python_client.py. */
interface Line {
  readonly name: string;
  readonly ok: boolean;
  readonly reason?: string;
}

/** The interpreter of the environment that has the SDK; why this machine has none; or why it could not be installed. */
export type Python = { readonly path: string } | { readonly none: string } | { readonly failed: string };

/** The official Python SDK's client, as it opens by default (the newest revision) and with the handshake. */
export async function checkPythonClient(report: Report, hub: HubProcess, python: Python) {
  for (const mode of ["auto", "legacy"] as const) {
    await report.section(`official Python SDK, ${mode}, on ${hub.store}`, async () => {
      if ("none" in python) return report.leaveOut("the Python SDK", python.none);
      if ("failed" in python) throw new Error(python.failed);
      await runIts(report, hub, python.path, mode);
    });
  }
}

async function runIts({ check }: Report, hub: HubProcess, python: string, mode: "auto" | "legacy") {
  const room = `python-${mode}`;
  const tokens = [await hub.mint(`pat-${mode}`, room), await hub.mint(`quinn-${mode}`, room)];
  const script = join(import.meta.dirname, "python_client.py");
  const { code, out, err } = await runProgram(python, [script, `${hub.url}/mcp`, room, mode, ...tokens]);
  for (const text of out.split("\n").filter((line) => line.startsWith("{"))) {
    const { name, ok, reason } = JSON.parse(text) as Line; // the script writes nothing else
    await check(name, () => {
      if (!ok) throw new Error(reason);
    });
  }
  await check("comes to its end", () => {
    if (code !== 0) throw new Error(`It ended with ${code}: ${err.slice(-1_000)}`);
  });
}
