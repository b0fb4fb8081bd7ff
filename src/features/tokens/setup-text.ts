import { z } from "zod";

const pasted = z.object({
  connect: z.string(),
  claude_cli: z.string(),
  plugin_install: z.string(),
  hook_env: z.string(),
  hook_install: z.string(),
  watch_install: z.string(),
});

/** What sets up one agent's machine by one address of the hub. All but names, `watch_arm`, `agent_brief` hold the token. */
const setupSet = z.object({
  server_name: z.string(),
  url: z.string(),
  role: z.string(),
  ...pasted.shape,
  mcp_json: z.string(),
  claude_settings: z.string(),
  watch_arm: z.string(),
  agent_brief: z.string(),
  admin_cli_equivalent: z.string(),
  powershell: pasted,
});

/** The same for the address on the hub's own network and for the public one; both differ in the address alone. */
export const setupText = z.object({
  prefer: z.enum(["lan", "public"]),
  lan: setupSet,
  public: setupSet.nullable(),
  public_hint: z.string().nullable(),
});

export type SetupSet = z.output<typeof setupSet>;
export type SetupText = z.output<typeof setupText>;

/** Whom the text sets up; `writeSetup` in agent/provision writes it. */
export interface SetupSubject {
  readonly token: string;
  readonly agent: string;
  /** The default one first. */
  readonly rooms: readonly string[];
  readonly organization: string;
  readonly allRooms: boolean;
  readonly readonly: boolean;
  readonly admin: boolean;
  readonly owner: string | null;
  /** Addresses instead of the hub's own. */
  readonly lanUrl?: string | undefined;
  readonly publicUrl?: string | undefined;
}
