import type { RuleSettings } from "../core/operation.ts";
import type { Route } from "./exchange.ts";
import { COPY_SCRIPT_PATH } from "./pages/copy-script.ts";

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-cache",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** `/`: how to connect an agent to this very server. It knows no secret, and its one script copies commands. */
export function setupPageRoutes(settings: Pick<RuleSettings, "url" | "version">): Route[] {
  const style = {
    "content-type": "text/css; charset=utf-8",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  };
  return [
    {
      method: "GET",
      path: "/",
      open: true,
      run: () => ({ status: 200, headers: PAGE_HEADERS, body: writePage(settings) }),
    },
    { method: "GET", path: "/setup.css", open: true, run: () => ({ status: 200, headers: style, body: STYLE }) },
  ];
}

function writePage({ url, version }: Pick<RuleSettings, "url" | "version">): string {
  const header = `printf 'Authorization: Bearer %s' "$CREWROOM_TOKEN"`;
  const connect = `${header} | curl -fsS -H @- ${url}/v1/cli -o crewroom.mjs &&
  node crewroom.mjs connect --url ${url}`;
  const json = JSON.stringify(
    {
      mcpServers: {
        crewroom: { type: "http", url: `${url}/mcp`, headers: { Authorization: "Bearer ${CREWROOM_TOKEN}" } },
      },
    },
    null,
    2,
  );
  const call = `${header} | curl -H @- ${url}/api/whats_new -H "Content-Type: application/json" -d '{}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Crewroom</title>
<link rel="stylesheet" href="/setup.css">
<script type="module" src="${COPY_SCRIPT_PATH}"></script>
</head>
<body>
<main>
<header>
<h1>Crewroom</h1>
<p>People and coding agents work together here: rooms, a task board, and what is new.</p>
<a class="signin" href="/login">Sign in</a>
<p class="address"><span class="dot"></span> serving at <code>${escape(url)}</code></p>
</header>
${step(1, "Mint a token", "On the machine that runs this hub, in its folder. Each agent gets a token of its own; it is shown once.", "node bin/crewroom.mjs token add --agent box1 --room lobby")}
${step(2, "Connect Claude Code", "On the agent's machine, with the token exported in <code>CREWROOM_TOKEN</code>: fetches the client, writes the settings, tries each part. <code>--client codex</code>, <code>gemini</code>, <code>cursor</code> or <code>opencode</code> for another one; <code>--undo</code> takes it out.", connect)}
${step(3, "Or any other MCP client", "Streamable HTTP, with the token in a header. In Claude Code this is <code>.mcp.json</code>.", json)}
${step(4, "See that it works", "Without any client:", call)}
<footer>
<nav><a href="/openapi.json">openapi.json</a> <a href="/health">health</a> <a href="/readyz">readiness</a></nav>
<span>Version ${escape(version)}</span>
</footer>
</main>
</body>
</html>
`;
}

/** `says` is ours and may hold markup; `command` is shown as it is. */
function step(number: number, title: string, says: string, command: string): string {
  return `<section>
<h2><span class="number">${number}</span> ${title}</h2>
<p>${says}</p>
<pre tabindex="0"><code>${escape(command)}</code></pre>
</section>`;
}

const STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f7f6f3, #16181b);
  --card: light-dark(#ffffff, #1e2125);
  --ink: light-dark(#1d2126, #e8e6e1);
  --quiet: light-dark(#5d6670, #9aa3ad);
  --line: light-dark(#e2dfd8, #30353b);
  --accent: light-dark(#0b6e5f, #4cc2a8);
  --code: light-dark(#f1efea, #14161a);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4rem) 1rem; }
h1 { margin: 0; font-size: clamp(2rem, 7vw, 2.75rem); letter-spacing: -0.02em; line-height: 1.1; }
header p { margin: 0.5rem 0 0; color: var(--quiet); max-width: 34rem; }
.signin { display: inline-block; margin-top: 1.1rem; padding: 0.55rem 1.2rem; border-radius: 8px; background: var(--accent); color: light-dark(#ffffff, #0d1f1b); font-weight: 650; text-decoration: none; }
.address { font-size: 0.9rem; }
.address code { color: var(--ink); overflow-wrap: anywhere; }
.dot { display: inline-block; width: 0.55rem; height: 0.55rem; margin-right: 0.25rem; border-radius: 50%; background: var(--accent); }
section { margin-top: 1rem; padding: 1.1rem 1.25rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
header + section { margin-top: 2rem; }
h2 { display: flex; align-items: baseline; gap: 0.6rem; margin: 0; font-size: 1.05rem; }
.number { color: var(--accent); font-variant-numeric: tabular-nums; }
section p { margin: 0.35rem 0 0.75rem; color: var(--quiet); font-size: 0.95rem; }
code { font: 0.85rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
p code { font-size: 0.9em; color: var(--ink); }
pre { margin: 0; padding: 0.75rem 0.9rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line); border-radius: 8px; user-select: all; }
pre:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.copy-place { position: relative; }
.copy-place pre { padding-right: 5.5rem; }
.copy { position: absolute; top: 0.45rem; right: 0.45rem; padding: 0.25rem 0.75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: var(--ink); font: inherit; font-size: 0.85rem; cursor: pointer; }
.copy:hover { background: var(--code); }
.copy:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1rem; margin-top: 1.5rem; color: var(--quiet); font-size: 0.9rem; }
nav { display: flex; flex-wrap: wrap; gap: 0 1rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
`;

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
