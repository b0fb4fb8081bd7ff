import type { z } from "zod";
import { HubError } from "../../core/errors.ts";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { showName } from "./approve-text.ts";
import { browserName } from "./browser-name.ts";
import { textField } from "./fields.ts";
import { note, seeOther, tokenField } from "./frame.ts";
import { html, type Html } from "./html.ts";
import { moment } from "./moment.ts";
import { chosenPassword, newPasswordFields } from "./password-fields.ts";
import { remarkOnTransport, sessionCookies } from "./session.ts";
import { type Visit, type Visits, withCookies } from "./visit.ts";

type Invitation = z.output<PageOperations["showInvitation"]["output"]>;

/** `/join/<link's secret>`: where whoever was invited becomes a person, and where a lost password is chosen anew. */
export function joinRoutes(visits: Visits, { showInvitation, acceptInvitation }: PageOperations): Route[] {
  const find = (visit: Visit) =>
    visit.perform(showInvitation, { token: visit.ask.params["token"]?.slice(0, 64) ?? "" });

  async function join(visit: Visit): Promise<Reply> {
    const invitation = await find(visit);
    if (visit.transport === "open") return showJoin(visit, invitation);
    try {
      const { org_id, purpose } = invitation;
      const { session, handle } = await visit.perform(acceptInvitation, {
        org_id,
        token: visit.ask.params["token"] ?? "",
        ...(purpose === "join" && namesIn(visit)),
        password: chosenPassword(visit.form),
        browser: browserName(visit.ask.headers["user-agent"]),
      });
      const next = purpose === "join" ? "/connect" : visit.home;
      return withCookies(seeOther(next), sessionCookies(visit, visits, session, `${org_id}/${handle}`));
    } catch (error) {
      if (error instanceof HubError && (error.status === 400 || error.code === "handle_taken"))
        return showJoin(visit, invitation, error);
      throw error;
    }
  }

  return [
    visits.route("GET", "/join/{token}", async (visit) => showJoin(visit, await find(visit))),
    visits.route("POST", "/join/{token}", join),
  ];
}

function namesIn({ form }: Visit): { handle?: string; name?: string } {
  const [handle, name] = [form.get("user"), form.get("name")];
  return { ...(handle && { handle }), ...(name && { name }) };
}

function showJoin(visit: Visit, invitation: Invitation, refusal?: HubError): Reply {
  const { purpose, organization, user_id } = invitation;
  const title = purpose === "join" ? `Join ${organization}` : `A new password for ${user_id}`;
  return visit.show({
    title: refusal ? `Error: ${title}` : title,
    status: refusal?.status ?? 200,
    narrow: true,
    body: html`<h1>${purpose === "join" ? html`Join ${showName(organization)}` : "Choose a new password"}</h1>
${purpose === "join" ? whoInvites(invitation) : html`<p class="lead">For ${showName(user_id ?? "")} in ${showName(organization)}. Every other sign-in of yours ends.</p>`}
${remarkOnTransport(visit.transport)}
${refusal && note("bad", refusal.message)}
${visit.transport !== "open" && joinForm(visit, invitation, refusal)}
<p class="quiet">This link works once, until ${moment(invitation.expires_at)}.</p>`,
  });
}

function whoInvites({ invited_by, role, has_question, org_id }: Invitation): Html {
  return html`<p class="lead">${showName(invited_by)} invites you to the organization <strong>${org_id}</strong>${role === "admin" && ", as an administrator"}.${has_question && " A question to you comes along."}</p>`;
}

function joinForm({ ask, formToken, form }: Visit, invitation: Invitation, refusal: HubError | undefined): Html {
  const { purpose, user_id, name, role } = invitation;
  const choosesHandle = purpose === "join" && (user_id === null || refusal?.code === "handle_taken");
  return html`<form class="card" method="post" action="${ask.path}">
${tokenField(formToken)}
${choosesHandle ? textField({ name: "user", label: "User", value: form.get("user") ?? "", hint: "What others call you here: a-z, 0-9, _ and -. It cannot be changed.", autocomplete: "username", first: true }) : keptHandle(user_id ?? "")}
${purpose === "join" && textField({ name: "name", label: "Your name", value: form.get("name") ?? name, autocomplete: "name", optional: true })}
${newPasswordFields(role, purpose === "join" ? "Password" : "New password")}
<button class="main">${purpose === "join" ? "Join" : "Set password and sign in"}</button>
</form>`;
}

/** Shown, and there for whatever keeps passwords; which handle it is the link itself says. */
function keptHandle(handle: string): Html {
  return html`<label for="kept">User</label>
<input type="text" id="kept" value="${handle}" autocomplete="username" readonly>`;
}
