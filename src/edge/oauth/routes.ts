import { openRecords } from "../../access/oauth/records.ts";
import type { Outbound } from "../../access/outbound.ts";
import type { SecretKey } from "../../access/secret-key.ts";
import { openAddressLimit } from "../../access/throttle.ts";
import { fail } from "../../core/errors.ts";
import type { Core } from "../../core/execute.ts";
import type { Log } from "../../core/log.ts";
import { type Ask, json, type Reply, type Route, type WRITTEN } from "../exchange.ts";
import { type Form, readForm } from "../pages/form.ts";
import { seeOther } from "../pages/frame.ts";
import { atLocalhost } from "../pages/localhost.ts";
import type { Visits } from "../pages/visit.ts";
import { refuse } from "../refusal.ts";
import { readAuthorization, revocationForm, tokenForm } from "./authorize.ts";
import { ClientProblem } from "./clients.ts";
import { type ConsentParts, consentRoutes } from "./consent.ts";
import { type Documents, isDocumentId, openDocuments } from "./documents.ts";
import { metadataRoutes, PATHS } from "./metadata.ts";
import { openRegistration } from "./registration.ts";
import type { AuthorizationServer } from "./server.ts";
import { asOAuthError } from "./voice.ts";

export interface OAuthSettings {
  readonly CREWROOM_OAUTH_CIMD: "on" | "off";
}

export interface OAuthParts {
  readonly core: Core;
  readonly secretKey: SecretKey;
  readonly outbound: Outbound;
  readonly visits: Visits;
  readonly operations: ConsentParts["operations"];
  readonly settings: OAuthSettings;
  readonly log: Log;
}

/** The authorization server: what clients read, where they register, where the browser is sent, where codes become tokens. */
export function oauthRoutes({ core, secretKey, outbound, visits, operations, settings, log }: OAuthParts): Route[] {
  const records = openRecords(core);
  const url = () => core.settings.url;
  let opened: Promise<AuthorizationServer> | undefined;
  // At the first sign-in: then the hub listens and knows its address, and a command that serves nothing loads no library.
  const server = () => (opened ??= open());
  async function open() {
    const { openAuthorizationServer } = await import("./server.ts");
    const cookieKey = secretKey.keyFor("oauth cookies").toString("base64url");
    return openAuthorizationServer({ url: url(), records, cookieKey, log });
  }

  const documents = settings.CREWROOM_OAUTH_CIMD === "on" ? openDocuments(records, outbound) : undefined;
  return [
    ...metadataRoutes(() => ({ url: url(), takesDocuments: documents !== undefined })),
    ...browserRoutes(server, { url, visits, documents }).map(atLocalhost),
    ...consentRoutes({ server, visits, operations, endGrant: records.endGrant }).map(atLocalhost),
    ...clientRoutes(server, { url, register: openRegistration(records), log }),
  ];
}

/** Sign-ins that one address may begin; each is written down, and anybody may begin one. */
const SIGN_INS = { limit: 300, windowSeconds: 600 };

interface BrowserParts {
  readonly url: () => string;
  readonly visits: Visits;
  readonly documents: Documents | undefined;
}

/** Where a client sends the browser, and where the page sends it back to. */
function browserRoutes(server: () => Promise<AuthorizationServer>, { url, visits, documents }: BrowserParts): Route[] {
  const admit = openAddressLimit(SIGN_INS);
  const get = (path: string, run: (ask: Ask) => Promise<Reply | typeof WRITTEN>): Route => ({
    method: "GET",
    path,
    open: true,
    page: true,
    run,
  });
  return [
    get(PATHS.authorize, async (ask) => {
      await admit(ask.address);
      const { clientId, rewritten, problem } = readAuthorization(ask, url());
      if (problem !== undefined) throw fail("bad_input", { field: "", problem });
      if (documents && isDocumentId(clientId)) {
        const { person } = await visits.open(ask);
        // Nobody but who has an account here makes this hub fetch anything.
        if (!person) return seeOther(`/login?next=${encodeURIComponent(`${ask.path}?${ask.query}`)}`);
        await documents.fetch(clientId, person);
      }
      return (await server()).answer(ask, rewritten);
    }),
    get(`${PATHS.authorize}/{id}`, async (ask) => (await server()).answer(ask, { path: ask.path })),
  ];
}

interface ClientParts {
  readonly url: () => string;
  readonly register: (ask: Ask) => Promise<Reply>;
  readonly log: Log;
}

/** What programs call. */
function clientRoutes(server: () => Promise<AuthorizationServer>, { url, register, log }: ClientParts): Route[] {
  const post = (path: string, run: (ask: Ask) => Promise<Reply | typeof WRITTEN>): Route => ({
    method: "POST",
    path,
    open: true,
    run: (ask) => run(ask).catch((error: unknown) => asReply(error, ask, log)),
  });
  const take = (path: string, read: (form: Form) => URLSearchParams) =>
    post(path, async (ask) => (await server()).answer(ask, { path, form: read(await readForm(ask.incoming)) }));
  return [
    take(PATHS.token, (form) => tokenForm(form, url())),
    take(PATHS.revoke, revocationForm),
    post(PATHS.register, register),
  ];
}

/** A refusal as clients of an authorization server read it. */
function asReply(error: unknown, { trace }: Ask, log: Log): Reply {
  if (error instanceof ClientProblem) return json(400, { error: error.error, error_description: error.message });
  const { code, reply, told } = refuse(error, trace, log);
  return { ...reply, body: JSON.stringify(asOAuthError({ code, ...told })) };
}
