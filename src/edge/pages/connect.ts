import { HubError } from "../../core/errors.ts";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { COPY_SCRIPT_PATH } from "./copy-script.ts";
import { textField } from "./fields.ts";
import { note, tokenField } from "./frame.ts";
import { html, type Html } from "./html.ts";
import type { PersonVisit, Visits } from "./visit.ts";

/** `/connect`: how a person's own coding agent comes to this hub, and a token for one, shown once. */
export function connectRoutes(visits: Visits, { createToken }: PageOperations, hub: { readonly url: string }): Route[] {
  async function mint(visit: PersonVisit): Promise<Reply> {
    const { form, person } = visit;
    const [agent, room] = [form.get("agent") ?? "", form.get("room") ?? ""];
    try {
      const asked = { agent, room, owner: person.handle, label: "made at /connect" };
      const { token, setup } = await visit.perform(createToken, asked);
      return showToken(visit, agent, { token, connect: (setup?.public ?? setup?.lan)?.connect });
    } catch (error) {
      if (error instanceof HubError && error.status < 500) return showConnect(visit, hub.url, { agent, room, error });
      throw error;
    }
  }
  return [
    visits.personRoute("GET", "/connect", async (visit) =>
      showConnect(visit, hub.url, { agent: `${visit.person.handle}-agent`, room: "lobby" }),
    ),
    visits.personRoute("POST", "/connect", mint),
  ];
}

interface Filled {
  readonly agent: string;
  readonly room: string;
  readonly error?: HubError;
}

function showConnect(visit: PersonVisit, url: string, { agent, room, error }: Filled): Reply {
  return visit.show({
    title: error ? "Error: connect your coding agent" : "Connect your coding agent",
    status: error?.status ?? 200,
    scripts: [COPY_SCRIPT_PATH],
    body: html`<h1>Connect your coding agent</h1>
<p class="lead">Once connected, your agent can ask your coworkers, show you what they ask you, and draft answers. Nothing leaves before you have approved its exact words here.</p>
<section class="card">
<h2>Claude Code</h2>
<p class="quiet">Run this in a terminal; then type <code>/mcp</code> in Claude Code to sign in.</p>
<pre tabindex="0"><code>claude mcp add --transport http crewroom ${url}/mcp</code></pre>
<h2>Any other MCP client</h2>
<p class="quiet">Streamable HTTP, with sign-in by browser (OAuth), at this address:</p>
<pre tabindex="0"><code>${url}/mcp</code></pre>
</section>
${error && note("bad", `${error.message} ${error.next}`)}
${tokenForm(visit, agent, room)}
<p class="note good">Try it: ask your agent “who can I ask about …?” or “what is in my inbox?”</p>`,
  });
}

function tokenForm({ formToken }: PersonVisit, agent: string, room: string): Html {
  return html`<form class="card" method="post" action="/connect">
<h2>With a token</h2>
<p class="quiet"><code>crewroom connect</code> on the agent’s machine asks for one; so do the plugin and the hook. The agent acts in its own name and for you, and never approves.</p>
${tokenField(formToken)}
${textField({ name: "agent", label: "The agent’s name", value: agent, hint: "One for each machine or project; a token for a name that you gave before is another one for it." })}
${textField({ name: "room", label: "Its room", value: room })}
<button class="main">Make a token</button>
</form>`;
}

function showToken(
  visit: PersonVisit,
  agent: string,
  { token, connect }: { readonly token: string | null; readonly connect: string | undefined },
): Reply {
  return visit.show({
    title: "A token for your agent",
    body: html`<h1>A token for <bdi>${agent}</bdi></h1>
<p class="lead">It is shown this once. Keep it out of conversations.</p>
<section class="card">
<h2>Set up the agent’s machine</h2>
<p class="quiet">Paste this in a shell there: it fetches the client from this hub, sets up Claude Code and tries each part. Add <code>--client codex</code>, <code>gemini</code>, <code>cursor</code> or <code>opencode</code> behind <code>connect</code> for another one.</p>
<pre tabindex="0"><code>${connect ?? ""}</code></pre>
<h2>Or the token alone</h2>
<p class="quiet">For <code>crewroom connect</code>, which asks for it, or the plugin’s settings.</p>
<pre tabindex="0"><code>${token ?? ""}</code></pre>
</section>
<p class="note">You end it under <a href="/sessions">Sign-ins</a>; it stops within two seconds.</p>`,
  });
}
