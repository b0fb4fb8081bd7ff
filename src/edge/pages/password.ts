import { HubError } from "../../core/errors.ts";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { hiddenField, passwordField } from "./fields.ts";
import { note, seeOther, tokenField } from "./frame.ts";
import { html } from "./html.ts";
import { nextPath } from "./next-path.ts";
import { chosenPassword, newPasswordFields } from "./password-fields.ts";
import { remarkOnTransport } from "./session.ts";
import type { PersonVisit, Visits } from "./visit.ts";

/** `/password`: a person chooses another one, which no tool has seen. */
export function passwordRoutes(visits: Visits, { choosePassword }: PageOperations): Route[] {
  async function choose(visit: PersonVisit): Promise<Reply> {
    const { form } = visit;
    try {
      const { password_exposed: exposed } = await visit.perform(choosePassword, {
        old_password: form.get("password") ?? "",
        new_password: chosenPassword(form),
      });
      if (exposed) return seeOther("/password?done=exposed");
      const next = form.get("next");
      return seeOther(next ? nextPath(next, visit.home) : "/password?done=");
    } catch (error) {
      if (error instanceof HubError && error.status < 500) return showPassword(visit, error);
      throw error;
    }
  }
  return [
    visits.personRoute("GET", "/password", async (visit) => showPassword(visit)),
    visits.personRoute("POST", "/password", choose),
  ];
}

function showPassword(visit: PersonVisit, refusal?: HubError): Reply {
  const { formToken, form, query } = visit;
  const next = form.get("next") ?? query.get("next") ?? "";
  const said = refusal?.code === "wrong_sign_in" ? "That is not your present password." : refusal?.message;
  return visit.show({
    title: refusal ? "Error: choose a new password" : "Choose a new password",
    status: refusal?.status ?? 200,
    narrow: true,
    body: html`<h1>Choose a new password</h1>
<p class="lead">Your other sign-ins end, on every machine; this browser stays.</p>
${remarkOnTransport(visit.transport)}
${query.has("done") && note("good", "Your new password holds.")}
${!visit.person.roles.has("own_machine") && note("warn", query.get("done") === "exposed" ? STILL_EXPOSED : ASK_FOR_LINK)}
${said !== undefined && note("bad", said)}
<form class="card" method="post" action="/password">
${tokenField(formToken)}${hiddenField("next", next)}
<input type="text" value="${visit.person.handle}" autocomplete="username" readonly hidden aria-label="User">
${passwordField({ name: "password", label: "Present password", autocomplete: "current-password", first: true })}
${newPasswordFields(undefined, "New password")}
<button class="main">Set it</button>
</form>
<p class="note">Do not type it into a chat with an agent: whoever knows it can approve in your name.</p>`,
  });
}

const LINK = "ask an administrator for a link, or the server's operator, who runs: crewroom person password";
const ASK_FOR_LINK = `Does an agent know your present password? Then it could do this in your place, so a new one from here counts no more: ${LINK}.`;
const STILL_EXPOSED = `An agent knew your former password, and could have done this in your place. Before you can approve answers, ${LINK}.`;
