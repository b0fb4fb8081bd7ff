import type { Places } from "./places.ts";

/**
 * The plugin that OpenCode loads: it runs our hook at the events that OpenCode tells, gives the model what it prints, and
 * wakes the session that was used last with the watcher's lines. A file of its own, as OpenCode takes no commands.
 *
 * @source opencode.ai/docs/plugins; the types of @opencode-ai/plugin 1.18.33; tried with 1.18.33.
 */
export function openCodePlugin({ hook, watch, credentials }: Pick<Places, "hook" | "watch" | "credentials">): string {
  const hookArgs = [hook, "--client", "opencode", "--credentials", credentials];
  const watchArgs = [watch, "--credentials", credentials];
  const constants = [`const HOOK = ${JSON.stringify(hookArgs)};`, `const WATCH = ${JSON.stringify(watchArgs)};`];
  return [...HEAD, ...constants, PLUGIN].join("\n");
}

const HEAD = [
  "// Made by `crewroom connect --client opencode`; `crewroom connect --undo` takes it away.",
  'import { spawn } from "node:child_process";',
  "",
];

const PLUGIN = `
/** What the hook prints for the model at an event; "" when there is nothing, or when it fails. */
function news(event, session, more = {}) {
  return new Promise((resolve) => {
    const child = spawn("node", HOOK, { stdio: ["pipe", "pipe", "ignore"], timeout: 15000 });
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.on("error", () => resolve(""));
    child.on("close", () => {
      try {
        resolve(JSON.parse(out).text ?? "");
      } catch {
        resolve("");
      }
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ hook_event_name: event, session_id: session, ...more }));
  });
}

export const Crewroom = async ({ client }) => {
  const begun = new Set();
  const children = new Set();
  const busy = new Set();
  const ours = new Set();
  let last;

  /** Starts a turn with a text of ours. */
  async function prompt(session, text) {
    ours.add(session);
    await client.session.prompt({ path: { id: session }, body: { parts: [{ type: "text", text }] } }).catch(() => {});
  }

  const watcher = spawn("node", WATCH, { stdio: ["ignore", "pipe", "ignore"] });
  watcher.on("error", () => {});
  let rest = "";
  watcher.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\\n");
    rest = lines.pop() ?? "";
    // A session at work meets the hook by itself.
    for (const line of lines) if (line.startsWith("[crewroom] ") && last && !busy.has(last)) void prompt(last, line);
  });
  process.on("exit", () => watcher.kill());

  return {
    async dispose() {
      watcher.kill();
    },
    async event({ event: { type, properties } }) {
      const session = properties?.sessionID ?? properties?.info?.id;
      if (typeof session !== "string") return;
      // Messages have a parent too; only a session's own is one of sessions.
      if (type.startsWith("session.") && properties?.info?.parentID) children.add(session);
      if (type === "session.deleted") await news(type, session);
      if (type !== "session.idle" || children.has(session)) return;
      busy.delete(session);
      const goesOn = ours.delete(session);
      const text = await news(type, session, { stop_hook_active: goesOn });
      // Not awaited: a whole turn is, and events wait for each other.
      if (text !== "") void prompt(session, text);
    },
    async "chat.message"({ sessionID }, { message, parts }) {
      if (children.has(sessionID)) return;
      last = sessionID;
      busy.add(sessionID);
      const first = begun.has(sessionID) ? "" : await news("session.created", sessionID);
      begun.add(sessionID);
      const text = [first, await news("chat.message", sessionID)].filter((part) => part !== "").join("\\n");
      if (text === "") return;
      const id = "prt_" + message.id.replace(/^msg_/, "") + "crewroom";
      parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true });
    },
    async "tool.execute.after"({ sessionID }, output) {
      if (children.has(sessionID)) return;
      const text = await news("tool.execute.after", sessionID);
      if (text !== "" && typeof output.output === "string") output.output += "\\n\\n" + text;
    },
  };
};
`;
