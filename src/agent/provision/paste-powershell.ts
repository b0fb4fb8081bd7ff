import type { SetupSet } from "../../features/tokens/setup-text.ts";
import { SERVER_NAME } from "./claude-code.ts";
import { marketplaceOf, type Pasted, PLUGIN, pluginOptions } from "./paste.ts";
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
      `claude plugin marketplace add ${q(marketplaceOf(url))}`,
      `claude plugin install ${PLUGIN}`,
      `${text(asciiJson(pluginOptions(pasted)))} | claude plugin configure ${PLUGIN} --values-stdin`,
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

/** Leaves in `$ok` whether a whole program is there now. */
function download(url: string, token: string, script: string, folder: string, name: string): string[] {
  const [file, fresh] = [`"${folder}\\${name}.mjs"`, `"${folder}\\${name}.new.mjs"`];
  return [
    `New-Item -ItemType Directory -Force "${folder}" | Out-Null`,
    `Invoke-WebRequest -UseBasicParsing -Headers @{ Authorization = ${text(`Bearer ${token}`)} } -Uri ${text(`${url}/v1/${script}`)} -OutFile ${fresh}; $ok = $?`,
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
