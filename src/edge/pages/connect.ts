import type { Route } from "../exchange.ts";
import { COPY_SCRIPT_PATH } from "./copy-script.ts";
import { html } from "./html.ts";
import type { Visits } from "./visit.ts";

/** `/connect`: how a person's own Claude Code comes to this hub. */
export function connectRoutes(visits: Visits, hub: { readonly url: string }): Route[] {
  return [
    visits.personRoute("GET", "/connect", async (visit) =>
      visit.show({
        title: "Connect Claude Code",
        scripts: [COPY_SCRIPT_PATH],
        body: html`<h1>Connect your coding agent</h1>
<p class="lead">Once connected, your agent can ask your coworkers, show you what they ask you, and draft answers. Nothing leaves before you have approved its exact words here.</p>
<section class="card">
<h2>Claude Code</h2>
<p class="quiet">Run this in a terminal; then type <code>/mcp</code> in Claude Code to sign in.</p>
<pre tabindex="0"><code>claude mcp add --transport http crewroom ${hub.url}/mcp</code></pre>
<h2>Any other MCP client</h2>
<p class="quiet">Streamable HTTP, with sign-in by browser (OAuth), at this address:</p>
<pre tabindex="0"><code>${hub.url}/mcp</code></pre>
</section>
<p class="note good">Try it: ask your agent “who can I ask about …?” or “what is in my inbox?”</p>
${visit.home === "/ui" && html`<p class="more"><a class="button" href="/ui">Open your rooms in the browser</a></p>`}`,
      }),
    ),
  ];
}
