import { accountOf, GRANT_SECONDS } from "../../access/oauth/records.ts";
import { SCOPES, type Scope } from "../../access/oauth/scopes.ts";
import { hashToken } from "../../access/tokens.ts";
import type { Caller } from "../../core/operation.ts";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { note, seeOther, tokenField } from "../pages/frame.ts";
import { html, type Html } from "../pages/html.ts";
import { loginForm } from "../pages/login.ts";
import { remarkOnTransport } from "../pages/session.ts";
import type { PersonVisit, Visit, Visits } from "../pages/visit.ts";
import { type Destination, destinationOf } from "./clients.ts";
import { isDocumentId } from "./documents.ts";
import { PATHS } from "./metadata.ts";
import type { AuthorizationServer, PendingSignIn } from "./server.ts";

export interface ConsentParts {
  readonly server: () => Promise<AuthorizationServer>;
  readonly visits: Visits;
  readonly operations: Pick<PageOperations, "allowClient" | "showSignIn">;
  readonly endGrant: (grantId: string) => Promise<void>;
}

/** The page that a client sends the browser to: who signs in here, and what the client may do for them. */
export function consentRoutes(parts: ConsentParts): Route[] {
  const { server, visits, operations } = parts;
  const path = `${PATHS.login}/{id}`;

  async function show(visit: Visit): Promise<Reply> {
    const pending = await (await server()).pending(visit.ask);
    if (visit.person) return showConsent({ ...visit, person: visit.person }, pending);
    const { organization } = await visit.perform(operations.showSignIn, {});
    return showSignIn(visit, pending, organization ?? "");
  }

  async function decide(visit: PersonVisit): Promise<Reply> {
    const pending = await (await server()).pending(visit.ask);
    const decision = visit.form.get("decision") === "allow" ? await allow(visit, pending) : DENIED;
    // Who went back and decided otherwise leaves nothing behind of what was decided before.
    const given = "consent" in decision ? decision.consent.grantId : undefined;
    if (pending.granted !== undefined && pending.granted !== given) await parts.endGrant(pending.granted);
    return seeOther(await (await server()).conclude(visit.ask, decision));
  }

  async function allow(visit: PersonVisit, pending: PendingSignIn) {
    const { person } = visit;
    const scopes = offeredTo(person, pending).filter((scope) => scope === "hub:read" || visit.form.has(scope));
    const accountId = accountOf(person);
    const grantId = await (await server()).makeGrant(pending, accountId, scopes);
    await visit.perform(operations.allowClient, {
      grant: hashToken(grantId),
      client: hashToken(pending.clientId),
      client_name: pending.clientName,
      scopes: [...scopes],
      seconds: GRANT_SECONDS,
    });
    return { login: { accountId, remember: false }, consent: { grantId } };
  }

  return [visits.route("GET", path, show), visits.personRoute("POST", path, decide)];
}

const DENIED = { error: "access_denied", error_description: "the person did not let the client in" };

/** What can be ticked: what was asked for, and administering only by who administers. */
function offeredTo({ roles }: Caller, { scopes }: PendingSignIn): readonly Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope) && (scope !== "hub:admin" || roles.has("organization_admin")));
}

function showSignIn(visit: Visit, pending: PendingSignIn, organization: string): Reply {
  const next = `${PATHS.login}/${pending.id}`;
  return visit.show({
    title: "Sign in",
    narrow: true,
    body: html`<h1>Sign in to go on</h1>
<p class="lead"><bdi>${pending.clientName}</bdi> asks to work with your Crewroom. Next you see what it may do.</p>
${remarkOnTransport(visit.transport)}
${visit.transport !== "open" && loginForm(visit, { next, organization, handle: "" })}`,
  });
}

function showConsent(visit: PersonVisit, pending: PendingSignIn): Reply {
  const { person } = visit;
  const destination = destinationOf(pending.redirect);
  const offered = offeredTo(person, pending);
  return visit.show({
    title: "Let a client in",
    narrow: true,
    formsLeadTo: [destination.origin],
    body: html`<h1>Let <bdi>${pending.clientName}</bdi> in?</h1>
<p class="lead">${known(pending.clientId)}</p>
${note(isItsOwn(pending, destination) ? "good" : "warn", remarkOn(destination))}
<dl>
<dt>For</dt><dd><bdi>${person.handle}</bdi></dd>
<dt>Organization</dt><dd><bdi>${person.organization}</bdi></dd>
<dt>Answers to</dt><dd><bdi>${destination.host}</bdi></dd>
</dl>
<form class="card" method="post" action="${PATHS.login}/${pending.id}">
${tokenField(visit.formToken)}
<fieldset><legend>It may</legend>
${offered.map((scope) => choice(scope))}
</fieldset>
<p class="hint">It can never approve an answer for you: only you can, before this hub's page. You end this under Sign-ins.</p>
<button class="main" name="decision" value="allow">Let it in</button>
<button name="decision" value="deny">Refuse</button>
</form>`,
  });
}

/** How far its name can be believed: whoever has a site's name has its documents. */
function known(clientId: string): Html {
  if (!isDocumentId(clientId)) return html`That is what it calls itself; this hub cannot check it.`;
  return html`That is what its document at <bdi>${new URL(clientId).host}</bdi> calls it.`;
}

/** Whether the browser is sent to the very site whose document names the client. */
function isItsOwn({ clientId }: PendingSignIn, { kind, host }: Destination): boolean {
  return kind === "site" && isDocumentId(clientId) && new URL(clientId).host === host;
}

const MEANS: Readonly<Record<Scope, string>> = {
  "hub:read": "read what you can read: rooms, tasks, messages, questions",
  "hub:write": "act for you: post, claim tasks, ask, draft answers",
  "hub:admin": "administer the organization: members, tokens, rooms",
};

/** Reading goes with everything; administering is for who ticks it. */
function choice(scope: Scope): Html {
  const fixed = scope === "hub:read" && html` checked disabled`;
  const ticked = scope === "hub:write" && html` checked`;
  return html`<label class="choice"><input type="checkbox" name="${scope}" value="yes"${fixed}${ticked}> <span>${MEANS[scope]}</span></label>`;
}

function remarkOn({ kind, host }: Destination): Html {
  if (kind === "site") return html`You are sent back to <bdi>${host}</bdi>. Go on only if you began this there.`;
  if (kind === "app")
    return html`You are sent back to whatever opens <bdi>${host}</bdi> on this computer. Go on only if you began this sign-in yourself, just now.`;
  return html`You are sent back to a program on this computer (<bdi>${host}</bdi>); any program could be waiting there. Go on only if you began this sign-in yourself, just now.`;
}
