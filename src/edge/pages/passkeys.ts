import type { z } from "zod";
import { HubError } from "../../core/errors.ts";
import type { PageOperations } from "../../page-operations.ts";
import type { Reply, Route } from "../exchange.ts";
import { showName } from "./approve-text.ts";
import { hiddenField, passwordField, textField } from "./fields.ts";
import { note, seeOther, tokenField } from "./frame.ts";
import { html, type Html } from "./html.ts";
import { moment } from "./moment.ts";
import { PASSKEY_SCRIPT_PATH } from "./passkey-script.ts";
import type { PersonVisit, Visits } from "./visit.ts";

type Registered = z.output<PageOperations["listPasskeys"]["output"]>;

/** `/passkeys`: what a person signs answers with. Registering needs script; the page is of use without. */
export function passkeyRoutes(visits: Visits, operations: PageOperations): Route[] {
  const { listPasskeys, registerPasskey, removePasskey } = operations;

  async function show(visit: PersonVisit, refusal?: HubError): Promise<Reply> {
    const registered = await visit.perform(listPasskeys, {});
    return visit.show({
      title: refusal ? "Error: passkeys" : "Passkeys",
      status: refusal?.status ?? 200,
      ...(registered.site !== null && { scripts: [PASSKEY_SCRIPT_PATH] }),
      body: html`<h1>Passkeys</h1>
<p class="lead">An answer that you approve with a passkey counts as signed: anybody can check later that you signed exactly its words.</p>
${refusal && note("bad", refusal.message)}
<ul class="rows">${registered.passkeys.map((passkey) => passkeyRow(visit, passkey))}</ul>
${registered.site === null ? note("warn", NO_SITE) : registerForm(visit, registered)}`,
    });
  }

  function done(act: (visit: PersonVisit) => Promise<unknown>): (visit: PersonVisit) => Promise<Reply> {
    return async (visit) => {
      try {
        await act(visit);
        return seeOther("/passkeys");
      } catch (error) {
        if (error instanceof HubError && error.status < 500) return show(visit, error);
        throw error;
      }
    };
  }
  return [
    visits.personRoute("GET", "/passkeys", (visit) => show(visit)),
    visits.personRoute(
      "POST",
      "/passkeys",
      done((visit) => visit.perform(registerPasskey, readRegistration(visit))),
    ),
    visits.personRoute(
      "POST",
      "/passkeys/remove",
      done((visit) => visit.perform(removePasskey, { passkey_id: visit.form.get("passkey_id") ?? "" })),
    ),
  ];
}

const NO_SITE =
  "Browsers allow passkeys at https addresses with a name, and at localhost. The operator sets CREWROOM_PUBLIC_URL to such an address.";

function passkeyRow({ formToken }: PersonVisit, passkey: Registered["passkeys"][number]): Html {
  const { id, label, created_at, last_used_at } = passkey;
  return html`<li><div><p>${showName(label)}</p><p class="quiet">since ${moment(created_at)}${last_used_at !== null && html`, last used ${moment(last_used_at)}`}</p></div>
<form method="post" action="/passkeys/remove">${tokenField(formToken)}${hiddenField("passkey_id", id)}<button>Remove</button></form></li>`;
}

function registerForm({ formToken }: PersonVisit, registered: Registered): Html {
  return html`<form class="card" method="post" action="/passkeys" data-passkey="register" data-options="${creationOptions(registered)}">
<h2>Register one</h2>
${tokenField(formToken)}<input type="hidden" name="passkey" value="">
${textField({ name: "label", label: "What you call it", value: "", hint: "Such as: my laptop" })}
${passwordField({ name: "password", label: "Your password", autocomplete: "current-password" })}
<button class="main" data-sign hidden>Register</button>
<p class="quiet" data-trouble role="status"></p>
<noscript><p class="note">Registering a passkey needs script in your browser; approving without one does not.</p></noscript>
</form>`;
}

/** @source `PublicKeyCredentialCreationOptionsJSON`: Web Authentication Level 3, 5.1.9. */
function creationOptions({ site, challenge, user_id, passkeys }: Registered): string {
  return JSON.stringify({
    rp: { id: site, name: "Crewroom" },
    user: { id: user_id, name: "Crewroom", displayName: "Crewroom" },
    challenge,
    // Ed25519, P-256, RSA: what authenticators offer.
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: passkeys.map(({ id }) => ({ type: "public-key", id })),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
    attestation: "none",
  });
}

function readRegistration({ form }: PersonVisit) {
  const field = (name: string) => form.get(name) ?? "";
  return { label: field("label"), password: field("password"), attestation: field("passkey") };
}
