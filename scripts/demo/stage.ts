import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, openBrowser } from "./browser.ts";
import { type Answer, type DemoHub, openHub } from "./hub.ts";
import type { Environment } from "./programs.ts";

export const ROOM = "greenhouse";
const PASSWORD = "only for this demonstration";

/** A hub with a room and people in it, in a folder that goes when the story ends. */
export interface Stage extends AsyncDisposable {
  readonly hub: DemoHub;
  /** What an operator does at the server. */
  operate(operation: string, input: Record<string, unknown>): Promise<Answer>;
  /** Somebody who joined by an invitation, and is signed in in a browser of its own. */
  join(person: string, name: string): Promise<Browser>;
  /** Mints a token; gives the environment of the programs that run beside that agent's session. */
  seat(agent: string, owner?: string): Promise<Environment>;
}

export async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-demo-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  let hub: DemoHub;
  try {
    hub = await openHub(folder);
  } catch (error) {
    remove();
    throw error;
  }
  const operate = (operation: string, input: Record<string, unknown>) => hub.ask({ operate: operation, input });
  return {
    hub,
    operate,
    async join(person, name) {
      const { link } = await operate("invite_person", { user_id: person, name });
      const path = new URL(String(link)).pathname;
      const browser = openBrowser(() => hub.home);
      await browser.open(path);
      await browser.submit(path, { name, new_password: PASSWORD, again: PASSWORD });
      await operate("grant_room", { user_id: person, room: ROOM });
      return browser;
    },
    async seat(agent, owner) {
      const { token } = await operate("create_token", { agent, room: ROOM, ...(owner !== undefined && { owner }) });
      return {
        PATH: hub.environment["PATH"] ?? "",
        TMPDIR: folder,
        CREWROOM_URL: hub.url,
        CREWROOM_TOKEN: String(token),
        CLAUDE_CODE_SESSION_ID: "s1",
      };
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      remove();
    },
  };
}
