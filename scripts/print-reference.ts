import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { HOOK_VARIABLES } from "../src/agent/hook/settings.ts";
import { WATCH_VARIABLES } from "../src/agent/watch/settings.ts";
import { listSettings } from "../src/config.ts";
import { ERRORS } from "../src/core/errors.ts";
import { EVENTS } from "../src/core/events.ts";
import type { Operation } from "../src/core/operation.ts";
import { openApi } from "../src/edge/openapi.ts";
import { taskStatesPage } from "../src/features/board/model.ts";
import { questionStatesPage } from "../src/features/questions/model.ts";
import { operations } from "../src/operations.ts";
import { VERSION } from "../src/version.ts";

const FOLDER = join(import.meta.dirname, "../docs/reference");
const PRINTED = "<!-- Printed by `npm run docs`; edit the lists it is made from. -->\n\n";

/** The reference as it should stand: file name to text. */
export function printReference(): Map<string, string> {
  return new Map([
    ["operations.md", operationsPage()],
    ["errors.md", errorsPage()],
    ["events.md", eventsPage()],
    ["settings.md", settingsPage()],
    ["task-states.md", PRINTED + taskStatesPage()],
    ["question-states.md", PRINTED + questionStatesPage()],
    ["openapi.json", `${JSON.stringify(openApi(operations, VERSION), null, 1)}\n`],
  ]);
}

/** The pages whose file on disk is not what it should be. */
export function stalePages(): string[] {
  return [...printReference()].filter(([name, text]) => readIfThere(join(FOLDER, name)) !== text).map(([name]) => name);
}

function operationsPage(): string {
  const needs = {
    read: "any token",
    write: "not read-only",
    admin: "admin",
    organization_admin: "organization administrator",
    person_read: "a person, or an agent with an owner",
    person_write: "a person, or an agent with an owner; not read-only",
    self: "the person",
    browser: "the person, in a browser",
    mint: "a person, or an organization administrator",
    invite: "an organization administrator; a person where the organization lets its members",
    set_passwords: "an organization administrator, in a browser",
    own_machine: "a browser on the hub's own machine",
    sign_up: "open sign-up",
    guest: "nobody",
    anyone: "anyone",
  };
  return `${PRINTED}# Operations

Each is an MCP tool, \`POST /api/<name>\` and \`crewroom call <name>\`. Besides its own refusals each can give those of every call:
\`not_signed_in\`, \`too_many_attempts\`, \`not_allowed\`, \`room_not_granted\`, \`bad_input\`, \`key_reused\`, \`storage_full\`, \`database_away\`.

${operations.map((operation) => operationSection(operation, needs[operation.needs])).join("\n")}`;
}

const EFFECTS = {
  command: "Changes something; takes an `idempotency_key`.",
  handover: "Moves your place, nothing else.",
  query: "Changes nothing.",
  wait: "Changes nothing.",
} as const;

function operationSection(operation: Operation, needs: string): string {
  const fields = Object.entries(fieldsOf(operation));
  const table =
    fields.length === 0
      ? "Takes nothing.\n"
      : `| input | type | |\n|---|---|---|\n${fields.map(fieldRow(operation)).join("")}`;
  const refusals =
    operation.errors.length === 0 ? "" : `\nRefusals: ${operation.errors.map((code) => `\`${code}\``).join(", ")}.\n`;
  return `## ${operation.name}

${operation.description}

Who: ${needs}. ${EFFECTS[operation.kind]}

${table}${refusals}
\`\`\`json
${JSON.stringify(operation.example)}
\`\`\`
`;
}

interface FieldSchema {
  type?: string;
  enum?: readonly string[];
  items?: { type?: string };
  description?: string;
  default?: unknown;
}

function fieldsOf(operation: Operation): Record<string, FieldSchema> {
  const schema = z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" });
  return (schema.properties ?? {}) as Record<string, FieldSchema>; // the library's own output
}

function fieldRow(operation: Operation) {
  const required = new Set(z.toJSONSchema(operation.input, { io: "input", unrepresentable: "any" }).required ?? []);
  return ([name, field]: [string, FieldSchema]) => {
    const type = field.enum
      ? field.enum.join(", ")
      : field.type === "array"
        ? `${field.items?.type ?? "item"}[]`
        : (field.type ?? "");
    const usual = field.default === undefined ? "" : ` (${JSON.stringify(field.default)} unless given)`;
    return `| \`${name}\`${required.has(name) ? " *" : ""} | ${type} | ${field.description ?? ""}${usual} |\n`;
  };
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, next }]) => `| \`${code}\` | ${status} | ${next} |`);
  return `${PRINTED}# Errors

REST answers \`{"error": {"code", "message", "next", "data", "trace"}}\` with the status; MCP a tool error whose text begins with the code.
After any of them nothing was changed, except \`outcome_unknown\`, which says so.

| code | status | next step |
|---|---|---|
${rows.join("\n")}
`;
}

function eventsPage(): string {
  return `${PRINTED}# Events

| kind | when |
|---|---|
${Object.entries(EVENTS)
  .map(([kind, says]) => `| \`${kind}\` | ${says} |`)
  .join("\n")}
`;
}

function settingsPage(): string {
  const rows = settingRows(listSettings({}));
  return `${PRINTED}# Settings

Read from the environment at the start. A wrong value stops the start with its name, the value and what is allowed.

| name | unless set | |
|---|---|---|
${rows.join("\n")}

## Beside an agent

Read by the [hook](../guides/hook.md) and the [watcher](../guides/watch.md). A value that cannot be used counts as none.

| name | unless set | |
|---|---|---|
${settingRows(Object.entries({ ...HOOK_VARIABLES, ...WATCH_VARIABLES }).map(([name, entry]) => ({ name, ...entry }))).join("\n")}
`;
}

function settingRows(settings: readonly { name: string; usual: string; says: string }[]): string[] {
  return settings.map(({ name, usual, says }) => `| \`${name}\` | ${usual === "" ? "" : `\`${usual}\``} | ${says} |`);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // not printed yet
  }
}

if (import.meta.main) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of printReference()) writeFileSync(join(FOLDER, name), text);
  console.log(`Printed ${printReference().size} pages to docs/reference.`);
}
