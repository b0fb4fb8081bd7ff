import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where things are on this machine. */
export interface Places {
  /** Our own folder: programs, credentials, what was changed. */
  readonly own: string;
  readonly credentials: string;
  readonly record: string;
  readonly hook: string;
  readonly watch: string;
  readonly bridge: string;
  /** The project that is set up alone; undefined for the user's all. */
  readonly project: string | undefined;
  readonly claude: { readonly settings: string; readonly state: string };
  readonly codex: string;
  readonly gemini: string;
  readonly cursor: string;
  readonly opencode: string;
}

/** @param project  a folder, for what is to hold there alone. */
export function placesIn(environment: Environment, project: string | undefined): Places {
  const home = homedir();
  const own = join(home, ".crewroom");
  const claude = environment["CLAUDE_CONFIG_DIR"];
  const config = environment["XDG_CONFIG_HOME"] || join(home, ".config");
  const name =
    project === undefined ? "credentials" : `project-${Buffer.from(project).toString("base64url").slice(-80)}`;
  return {
    own,
    credentials: join(own, `${name}.json`),
    record: join(own, "connected.json"),
    hook: join(own, "crewroom-hook.mjs"),
    watch: join(own, "crewroom-watch.mjs"),
    bridge: join(own, "crewroom-bridge.mjs"),
    project,
    claude: {
      settings:
        project === undefined
          ? join(claude ?? join(home, ".claude"), "settings.json")
          : join(project, ".claude/settings.local.json"),
      state: join(claude ?? home, ".claude.json"),
    },
    codex: environment["CODEX_HOME"] || join(home, ".codex"),
    gemini: join(home, ".gemini"),
    cursor: join(home, ".cursor"),
    opencode: join(config, "opencode"),
  };
}
