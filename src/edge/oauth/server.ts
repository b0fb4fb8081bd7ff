import { hash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { InteractionResults, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { OAuthRecords } from "../../access/oauth/records.ts";
import { SCOPES, type Scope } from "../../access/oauth/scopes.ts";
import { fail } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { type Ask, WRITTEN } from "../exchange.ts";
import { refuse, type Refusal } from "../refusal.ts";
import { asRefusal, showRefusal, showWayBack } from "./error-page.ts";
import { addressAsCalled, resourceOf } from "./own-addresses.ts";
import { COOKIES, openProvider } from "./provider.ts";

import { asOAuthError, inOurWords, type Told } from "./voice.ts";

export interface ServerParts {
  readonly url: string;
  readonly records: OAuthRecords;
  readonly cookieKey: string;
  readonly log: Log;
}

/** What the library is to see of a request: its address behind the hub's own, or a form. */
export type Rewritten = { readonly path: string; readonly form?: URLSearchParams };

/** A sign-in that waits for its person. */
export interface PendingSignIn {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirect: string;
  readonly scopes: readonly string[];
  /** The grant that a decision before this one gave: a button can be pressed twice, and a page be gone back to. */
  readonly granted: string | undefined;
}

export interface AuthorizationServer {
  /** Has the library answer a request. */
  answer(ask: Ask, rewritten: Rewritten): Promise<typeof WRITTEN>;
  /** @throws HubError `sign_in_over` */
  pending(ask: Ask): Promise<PendingSignIn>;
  /**
   * Makes the grant that a person gave, for `scopes` of those that were asked for; the same one for the same decision. It
   * holds once it is a credential.
   */
  makeGrant(pending: PendingSignIn, account: string, scopes: readonly Scope[]): Promise<string>;
  /** Goes on with what was decided. Gives the address for the browser. */
  conclude(ask: Ask, decision: InteractionResults): Promise<string>;
}

/** What is known of a request besides what the library sees of it. */
interface Around {
  readonly ask: Ask;
  fault?: Refusal;
}

/** The library in the hub's place: it gets requests as we want them read, and its answers go out in our words. */
export function openAuthorizationServer({ url, records, cookieKey, log }: ServerParts): AuthorizationServer {
  const around = new WeakMap<IncomingMessage, Around>();
  const provider = openProvider({
    url,
    records,
    cookieKey,
    showError(ctx, { error, error_description }, { name }) {
      const { ask, fault } = aroundOf(ctx);
      if (name === "SessionNotFound") return showRefusal(ctx, refuse(fail("sign_in_over"), ask.trace, log));
      showRefusal(ctx, fault ?? asRefusal(inOurWords(error, error_description), ctx.status, ask.trace));
    },
    onFault(ctx, error) {
      const known = aroundOf(ctx);
      known.fault = refuse(error, known.ask.trace, log);
    },
  });
  const aroundOf = (ctx: KoaContextWithOIDC) => {
    const known = around.get(ctx.req);
    if (!known) throw new Error("The authorization server was asked by nobody.");
    return known;
  };
  provider.use(async (ctx, next) => {
    await next();
    tidy(ctx as KoaContextWithOIDC, aroundOf(ctx as KoaContextWithOIDC));
  });
  const handle = provider.callback();

  return {
    async answer(ask, rewritten) {
      const request = rewrite(ask, url, rewritten);
      around.set(request, { ask });
      ask.outgoing.setHeader("x-request-id", ask.trace);
      ask.outgoing.setHeader("x-content-type-options", "nosniff");
      ask.outgoing.setHeader("referrer-policy", "no-referrer");
      await handle(request, ask.outgoing);
      return WRITTEN;
    },
    pending: (ask) => findPending(provider, ask),
    async makeGrant({ id, clientId, scopes: asked }, account, scopes) {
      const grant = new provider.Grant({ accountId: account, clientId });
      grant.jti = hash("sha256", `grant ${id} ${account} ${scopes.join(" ")}`, "base64url");
      grant.addResourceScope(resourceOf(url), scopes.join(" "));
      // What was asked for and not given is noted too: else it would be asked for again before the answer.
      const refused = asked.filter((scope) => !scopes.some((given) => given === scope));
      if (refused.length > 0) grant.rejectResourceScope(resourceOf(url), refused.join(" "));
      return grant.save();
    },
    async conclude({ incoming, outgoing }, decision) {
      return provider.interactionResult(incoming, outgoing, decision, { mergeWithLastSubmission: false });
    },
  };
}

/** The request with our address in front, only what the library needs of its headers, and a form that was read strictly. */
function rewrite({ method, headers, incoming }: Ask, url: string, { path, form }: Rewritten): IncomingMessage {
  const own = new URL(addressAsCalled(url, headers.host));
  const body = form && Buffer.from(form.toString());
  const seen: IncomingHttpHeaders = {
    host: own.host,
    "x-forwarded-proto": own.protocol.slice(0, -1),
    accept: "application/json",
    ...(headers.cookie !== undefined && { cookie: headers.cookie }),
    ...(body && { "content-type": "application/x-www-form-urlencoded", "content-length": String(body.length) }),
  };
  const parts = { method, url: path, headers: seen, httpVersion: incoming.httpVersion, socket: incoming.socket };
  // All that the library looks at: it was tried with every request of ours.
  return Object.assign(Readable.from(body ? [body] : []), parts) as unknown as IncomingMessage;
}

async function findPending(provider: Provider, { incoming, outgoing }: Ask): Promise<PendingSignIn> {
  const interaction = await provider.interactionDetails(incoming, outgoing).catch((error: unknown) => {
    if (error instanceof Error && error.name === "SessionNotFound") throw fail("sign_in_over");
    throw error;
  });
  const { client_id: clientId, redirect_uri: redirect, scope } = interaction.params;
  const client = typeof clientId === "string" ? await provider.Client.find(clientId) : undefined;
  if (!client || typeof redirect !== "string") throw fail("sign_in_over");
  const asked = typeof scope === "string" ? scope.split(" ") : [];
  return {
    id: interaction.uid,
    clientId: client.clientId,
    clientName: client.clientName ?? client.clientId,
    redirect,
    scopes: SCOPES.filter((known) => asked.includes(known)),
    granted: interaction.result?.consent?.grantId,
  };
}

/** What the library answers, in our words, without the cookie of a session that it does not have. */
function tidy(ctx: KoaContextWithOIDC, { ask, fault }: Around) {
  const cookies = [ctx.res.getHeader("set-cookie") ?? []].flat().map(String);
  if (cookies.length > 0)
    ctx.res.setHeader(
      "set-cookie",
      cookies.filter((cookie) => !cookie.startsWith(COOKIES.session)),
    );

  const body: unknown = ctx.body;
  if (isTold(body)) {
    const told = fault
      ? asOAuthError({ code: fault.code, ...fault.told })
      : inOurWords(body.error, body.error_description);
    if (fault) ctx.status = fault.reply.status;
    ctx.body = told;
  }
  const location = ctx.res.getHeader("location");
  if (typeof location !== "string" || !URL.canParse(location)) return;
  // Elsewhere than to the page that asks, and before anybody was asked.
  if (ctx.oidc.route === "authorization") showWayBack(ctx, inOurWordsAt(location), ask.trace);
  else ctx.set("location", inOurWordsAt(location));
}

function isTold(body: unknown): body is Told {
  return typeof body === "object" && body !== null && "error" in body && typeof body.error === "string";
}

/** An error that goes back to the client with the browser. */
function inOurWordsAt(location: string): string {
  const address = new URL(location);
  const error = address.searchParams.get("error");
  if (error === null || address.searchParams.has("code")) return location;
  const { error_description } = inOurWords(error, address.searchParams.get("error_description") ?? "");
  address.searchParams.set("error_description", error_description);
  return address.href;
}
