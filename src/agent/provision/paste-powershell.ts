import type { SetupSet } from "../../features/tokens/setup-text.ts";
import { SERVER_NAME } from "./claude-code.ts";
import { type Pasted, PLUGIN, PLUGIN_FOLDER, pluginOptions } from "./paste.ts";
import { asciiJson, quoteForPowerShell as q } from "./quote.ts";

/** For PowerShell 5.1 and newer: what is piped, or handed to its own commands, is no argument of a program. */
export function pasteForPowerShell(pasted: Pasted): SetupSet["powershell"] {
  const { url, token, room, server } = pasted;
  return {
    connect: [
      ...download(url, token, "cli", "$HOME\\.crewroom", "crewroom"),
      `if ($ok) { ${text(token)} | node "$HOME\\.crewroom\\crewroom.mjs" connect --url ${q(url)} --token-file - }`,
    ].join("\n"),
    claude_cli: `${text(asciiJson(server))} | claude mcp add-json --scope user ${SERVER_NAME} -`,
    plugin_install: [
      `New-Item -ItemType Directory -Force "$HOME\\.crewroom" | Out-Null`,
      `${fetchInto(url, token, "plugin", '"$HOME\\.crewroom\\plugin.tar.gz"')}; $ok = $?`,
      `if ($ok) { tar -xzf "$HOME\\.crewroom\\plugin.tar.gz" -C "$HOME\\.crewroom"; $ok = $LASTEXITCODE -eq 0 }`,
      `if ($ok) { claude plugin marketplace add "$HOME\\.crewroom\\${PLUGIN_FOLDER}"; claude plugin install ${PLUGIN} }`,
      `if ($ok) { ${text(asciiJson(pluginOptions(pasted)))} | claude plugin configure ${PLUGIN} --values-stdin }`,
    ].join("\n"),
    hook_env: [
      `$env:CREWROOM_URL = ${text(url)}`,
      `$env:CREWROOM_TOKEN = ${text(token)}`,
      `$env:CREWROOM_ROOM = ${text(room)}`,
    ].join("\n"),
    hook_install: install(url, token, "hook"),
    watch_install: install(url, token, "watch"),
  };
}

/** A literal also where a plain word would be an expression. */
function text(value: string): string {
  const quoted = q(value);
  return quoted.startsWith("'") ? quoted : `'${quoted}'`;
}

function fetchInto(url: string, token: string, what: string, file: string): string {
  return `Invoke-WebRequest -UseBasicParsing -Headers @{ Authorization = ${text(`Bearer ${token}`)} } -Uri ${text(`${url}/v1/${what}`)} -OutFile ${file}`;
}

/** Leaves in `$ok` whether a whole program is there now. */
function download(url: string, token: string, script: string, folder: string, name: string): string[] {
  const [file, fresh] = [`"${folder}\\${name}.mjs"`, `"${folder}\\${name}.new.mjs"`];
  return [
    `New-Item -ItemType Directory -Force "${folder}" | Out-Null`,
    `${fetchInto(url, token, script, fresh)}; $ok = $?`,
    `if ($ok) { node --check ${fresh}; $ok = $LASTEXITCODE -eq 0 }`,
    `if ($ok) { Move-Item -Force ${fresh} ${file} } else { Remove-Item -ErrorAction SilentlyContinue ${fresh}; Write-Warning "${name} was not installed." }`,
  ];
}

function install(url: string, token: string, script: "hook" | "watch"): string {
  const name = `crewroom-${script}`;
  return [
    ...download(url, token, script, "$HOME\\.claude\\hooks", name),
    `if ($ok) { $env:CREWROOM_URL = ${text(url)}; $env:CREWROOM_TOKEN = ${text(token)}; node "$HOME\\.claude\\hooks\\${name}.mjs" --selfcheck }`,
  ].join("\n");
}
