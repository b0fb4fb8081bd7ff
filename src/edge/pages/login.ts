import { fail, HubError } from "../../core/errors.ts";
import type { PageOperations } from "../../page-operations.ts";
import { sessionCookie } from "../cookies.ts";
import type { Reply, Route } from "../exchange.ts";
import { browserName } from "./browser-name.ts";
import { hiddenField, passwordField, textField } from "./fields.ts";
import { note, seeOther, tokenField } from "./frame.ts";
import { html, type Html } from "./html.ts";
import { nextPath } from "./next-path.ts";
import { remarkOnTransport, sessionCookies } from "./session.ts";
import { type Visit, type Visits, withCookies } from "./visit.ts";

/** `/login` and `/logout`. */
export function loginRoutes(visits: Visits, { showSignIn, signInOnPage, logout }: PageOperations): Route[] {
  async function showForm(visit: Visit): Promise<Reply> {
    const next = nextPath(visit.query.get("next"), visit.home);
    if (visit.person) return seeOther(next);
    const { organization } = await visit.perform(showSignIn, {});
    return showLogin(visit, { next, organization: organization ?? "", handle: "" });
  }

  async function signIn(visit: Visit): Promise<Reply> {
    const filled = readFilled(visit);
    if (visit.transport === "open") return showLogin(visit, filled, { status: 403 });
    try {
      const account = `${filled.organization}/${filled.handle}`;
      const { session } = await visit.perform(signInOnPage, {
        org_id: filled.organization,
        user_id: filled.handle,
        password: visit.form.get("password") ?? "",
        browser: browserName(visit.ask.headers["user-agent"]),
        ...(visits.devices.knows(visit.device, account) && { device: visit.device.id }),
      });
      return withCookies(seeOther(filled.next), sessionCookies(visit, visits, session, account));
    } catch (error) {
      // What can be no handle is no user: the answer is the same.
      if (error instanceof HubError && error.code === "bad_input")
        return showLogin(visit, filled, fail("wrong_sign_in"));
      if (error instanceof HubError && error.status < 500) return showLogin(visit, filled, error);
      throw error;
    }
  }

  return [
    visits.route("GET", "/login", showForm),
    visits.route("POST", "/login", signIn),
    visits.personRoute("POST", "/logout", async (visit) => {
      await visit.perform(logout, {});
      const secure = visit.transport === "https";
      return withCookies(seeOther("/login"), [sessionCookie(undefined, { secure, days: 0 })]);
    }),
  ];
}

/** What was filled in, but for the password. */
interface Filled {
  readonly next: string;
  readonly organization: string;
  readonly handle: string;
}

function readFilled({ form, home }: Visit): Filled {
  return {
    next: nextPath(form.get("next"), home),
    organization: form.get("organization") ?? "",
    handle: form.get("user") ?? "",
  };
}

function showLogin(visit: Visit, filled: Filled, refusal?: { status: number; message?: string; data?: object }): Reply {
  const { message, status = 200 } = refusal ?? {};
  const seconds = refusal instanceof HubError ? refusal.data["seconds"] : undefined;
  return visit.show({
    title: message ? "Error: sign in" : "Sign in",
    status,
    narrow: true,
    ...(typeof seconds === "number" && { headers: { "retry-after": String(seconds) } }),
    body: html`<h1>Sign in</h1>
${remarkOnTransport(visit.transport)}
${message !== undefined && note("bad", message)}
${visit.transport !== "open" && loginForm(visit, filled)}`,
  });
}

export function loginForm({ formToken }: Visit, { next, organization, handle }: Filled): Html {
  const first = organization === "" ? "organization" : handle === "" ? "user" : "password";
  return html`<form class="card" method="post" action="/login">
${tokenField(formToken)}${hiddenField("next", next)}
${textField({ name: "organization", label: "Organization", value: organization, autocomplete: "organization", first: first === "organization" })}
${textField({ name: "user", label: "User", value: handle, autocomplete: "username", first: first === "user" })}
${passwordField({ name: "password", label: "Password", autocomplete: "current-password", first: first === "password" })}
<button class="main">Sign in</button>
</form>
<p class="note">New here, or password lost? An administrator can send you a link.</p>`;
}
