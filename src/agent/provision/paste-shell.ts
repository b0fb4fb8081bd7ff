import type { SetupSet } from "../../features/tokens/setup-text.ts";
import { SERVER_NAME } from "./claude-code.ts";
import { type Pasted, PLUGIN, PLUGIN_FOLDER, pluginOptions } from "./paste.ts";
import { asciiJson, quoteForShell as q } from "./quote.ts";

/** For sh and its kin. `printf` is a part of the shell, so what it prints is no argument of a program. */
export function pasteForShell(pasted: Pasted): SetupSet["powershell"] {
  const { url, token, room, server } = pasted;
  return {
    // Connect itself runs in the folder that it is pasted in, for --project, and ends the text: options are put behind it.
    connect: [
      `( umask 077 && mkdir -p "$HOME/.crewroom" && cd "$HOME/.crewroom" &&`,
      `  ${download(url, token, "cli", "crewroom.new.mjs")} && node --check crewroom.new.mjs && mv crewroom.new.mjs crewroom.mjs ) &&`,
      `  printf %s ${q(token)} | node "$HOME/.crewroom/crewroom.mjs" connect --url ${q(url)} --token-file -`,
    ].join("\n"),
    claude_cli: `printf %s ${q(asciiJson(server))} | claude mcp add-json --scope user ${SERVER_NAME} -`,
    plugin_install: [
      `( umask 077 && mkdir -p "$HOME/.crewroom" && cd "$HOME/.crewroom" &&`,
      `  ${download(url, token, "plugin", "plugin.tar.gz")} && tar -xzf plugin.tar.gz && rm plugin.tar.gz &&`,
      `  claude plugin marketplace add "$PWD/${PLUGIN_FOLDER}" && claude plugin install ${PLUGIN} &&`,
      `  printf %s ${q(asciiJson(pluginOptions(pasted)))} | claude plugin configure ${PLUGIN} --values-stdin )`,
    ].join("\n"),
    hook_env: [
      `export CREWROOM_URL=${q(url)}`,
      `export CREWROOM_TOKEN=${q(token)}`,
      `export CREWROOM_ROOM=${q(room)}`,
    ].join("\n"),
    hook_install: install(url, token, "hook"),
    watch_install: install(url, token, "watch"),
  };
}

function download(url: string, token: string, script: string, file: string): string {
  return `printf 'Authorization: Bearer %s' ${q(token)} | curl -fsS -H @- ${q(`${url}/v1/${script}`)} -o ${file}`;
}

/** It is pasted into a shell that somebody goes on using: nothing here ends it, and what failed is said and cleaned away. */
function install(url: string, token: string, script: "hook" | "watch"): string {
  const file = `crewroom-${script}.mjs`;
  const fresh = `crewroom-${script}.new.mjs`;
  return [
    `( umask 077 && mkdir -p "$HOME/.claude/hooks" && cd "$HOME/.claude/hooks" &&`,
    `  { ${download(url, token, script, fresh)} && node --check ${fresh} && mv ${fresh} ${file} ||`,
    `    { rm -f ${fresh}; echo "The ${script} was not installed." >&2; false; }; } &&`,
    `  CREWROOM_URL=${q(url)} CREWROOM_TOKEN=${q(token)} node ${file} --selfcheck )`,
  ].join("\n");
}
