import type { z } from "zod";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { showName } from "./approve-text.ts";
import { hiddenField } from "./fields.ts";
import { seeOther, tokenField } from "./frame.ts";
import { html, type Html } from "./html.ts";
import { moment } from "./moment.ts";
import type { PersonVisit, Visits } from "./visit.ts";

type Token = z.output<PageOperations["listTokens"]["output"]>["tokens"][number];
type Session = z.output<PageOperations["listSessions"]["output"]>["sessions"][number];

/** `/sessions`: everywhere a person is signed in, with the tokens of its agents, and how to end each. */
export function sessionRoutes(visits: Visits, operations: PageOperations): Route[] {
  const { listSessions, listTokens, revokeSession, revokeToken } = operations;

  async function show(visit: PersonVisit): Promise<Reply> {
    const before = visit.query.get("before");
    const { sessions, next } = await visit.perform(listSessions, before ? { before_id: before.slice(0, 64) } : {});
    const { tokens } = await visit.perform(listTokens, { live_only: true });
    const agents = tokens.filter(({ owner }) => owner === visit.person.handle);
    return visit.show({
      title: "Your sign-ins",
      body: html`<h1>Your sign-ins</h1>
<p class="lead">Where you are signed in now. One that you do not know: end it, then choose a <a href="/password">new password</a>.</p>
<ul class="rows">${sessions.map((session) => sessionRow(visit, session))}</ul>
${next !== null && html`<p><a href="/sessions?before=${next}">Older ones</a></p>`}
${
  agents.length > 0 &&
  html`<h2>Your agents</h2>
<p class="lead">They ask, read your inbox and draft for you, and go on when you sign out. Whoever was signed in as you could make one.</p>
<ul class="rows">${agents.map((token) => tokenRow(visit, token))}</ul>`
}
<p class="note"><a href="/passkeys">Passkeys</a> are listed on their own page, and so is <a href="/notices">how you are told</a> when you are away.</p>`,
    });
  }
  return [
    visits.personRoute("GET", "/sessions", show),
    visits.personRoute("POST", "/sessions", async (visit) => {
      await visit.perform(revokeSession, { session_id: visit.form.get("session_id") ?? "" });
      return seeOther("/sessions");
    }),
    visits.personRoute("POST", "/sessions/agents", async (visit) => {
      await visit.perform(revokeToken, { token_id: visit.form.get("token_id") ?? "" });
      return seeOther("/sessions");
    }),
  ];
}

const KINDS = { browser: "Browser", login: "Token from login", client: "Program" } as const;

function sessionRow({ formToken }: PersonVisit, session: Session): Html {
  const { session_id, kind, label, current, created_at, last_seen, last_address } = session;
  return html`<li><div>
<p>${KINDS[kind]}${label !== "" && html`: ${showName(label)}`}${current && html` <strong>(this one)</strong>`}</p>
<p class="quiet">since ${moment(created_at)}${last_seen !== null && html`, last used ${moment(last_seen)}`}${last_address !== null && ` from ${last_address}`}</p>
</div>
<form method="post" action="/sessions">${tokenField(formToken)}${hiddenField("session_id", session_id)}<button>End</button></form></li>`;
}

function tokenRow(
  { formToken }: PersonVisit,
  { id, agent, label, rooms, created_ts, last_seen, last_address }: Token,
): Html {
  return html`<li><div>
<p>${showName(agent)}${label !== "" && html`: ${showName(label)}`}${rooms.length > 0 && ` in ${rooms.join(", ")}`}</p>
<p class="quiet">since ${moment(created_ts)}${last_seen !== null && html`, last used ${moment(last_seen)}`}${last_address !== null && ` from ${last_address}`}</p>
</div>
<form method="post" action="/sessions/agents">${tokenField(formToken)}${hiddenField("token_id", id)}<button>End</button></form></li>`;
}
