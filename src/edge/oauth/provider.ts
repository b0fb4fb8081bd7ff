import { generateKeyPairSync } from "node:crypto";
import type { EventEmitter } from "node:events";
import { type Configuration, type ErrorOut, errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { GRANT_SECONDS, type OAuthRecords } from "../../access/oauth/records.ts";
import { SCOPES } from "../../access/oauth/scopes.ts";
import { makeToken } from "../../access/tokens.ts";
import { adapterFor } from "./adapter.ts";
import { PATHS } from "./metadata.ts";
import { isOwnResource, resourceOf } from "./own-addresses.ts";

export interface ProviderParts {
  /** The hub's own address: issuer, and what endpoints are told as. */
  readonly url: string;
  readonly records: OAuthRecords;
  /** Signs the cookies of a sign-in under way. */
  readonly cookieKey: string;
  /** A page for what went wrong before there was a client to answer to. */
  readonly showError: (ctx: KoaContextWithOIDC, out: ErrorOut, error: Error) => void;
  /** Told of what is a fault, or the database's. */
  readonly onFault: (ctx: KoaContextWithOIDC, error: Error) => void;
}

/** How long (s) each of them lasts. */
const SECONDS = {
  AccessToken: 3_600,
  AuthorizationCode: 60,
  Grant: GRANT_SECONDS,
  IdToken: 3_600,
  // A sign-in that was begun: long enough to look up a password.
  Interaction: 600,
  RefreshToken: GRANT_SECONDS,
  Session: 600,
};

/** The names of its cookies; a session of its own it has none, but wants a name for it. */
export const COOKIES = {
  session: "crewroom_oauth_session",
  interaction: "crewroom_oauth",
  resume: "crewroom_oauth_resume",
};

/** The authorization server. Why this library, and what stands around it: docs/decisions/0012-authorization-server.md. */
export function openProvider(parts: ProviderParts): Provider {
  const provider = new Provider(parts.url, configurationOf(parts));
  // Scheme and host come from the hub's address, which is put into the headers in front.
  provider.proxy = true;
  provider.silent = true;
  // What it could not answer at all. Its types leave out the events of the server it is built on.
  (provider as EventEmitter).on("error", (error: Error, ctx: KoaContextWithOIDC) => parts.onFault(ctx, error));
  provider.on("server_error", parts.onFault);
  giveTokensOurForm(provider);
  return provider;
}

interface Named {
  generateTokenId: () => string;
}

/** The library makes random names; ours say what they are, so that scanners find them and a wrong one costs no look-up. */
function giveTokensOurForm({ AccessToken, RefreshToken }: Provider) {
  // The method that makes them is there, but not in the types.
  const [access, refresh] = [AccessToken.prototype, RefreshToken.prototype] as unknown as [Named, Named];
  const { generateTokenId: makeName } = access;
  access.generateTokenId = function () {
    makeName.call(this); // notes the format, too
    return makeToken("oat");
  };
  refresh.generateTokenId = () => makeToken("ort");
}

function configurationOf({ url, records, cookieKey, showError }: ProviderParts): Configuration {
  return {
    adapter: adapterFor(records),
    cookies: { names: COOKIES, keys: [cookieKey], short: COOKIE_OPTIONS, long: COOKIE_OPTIONS },
    routes: { authorization: PATHS.authorize, token: PATHS.token, revocation: PATHS.revoke, jwks: PATHS.keys },
    interactions: { url: (_, { uid }) => `${PATHS.login}/${uid}` },
    features: featuresFor(url),
    // What is granted belongs to the resource; a scope listed here as well would be asked for again and again.
    scopes: [],
    claims: {},
    responseTypes: ["code"],
    clientAuthMethods: ["none"],
    clientDefaults: { token_endpoint_auth_method: "none", id_token_signed_response_alg: "ES256" },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: 0,
    // Whether the person may still be signed in is asked of its grant, which is a credential like others.
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    loadExistingGrant({ oidc }) {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    clientBasedCORS: () => false,
    // Nothing is signed with it: tokens are opaque. Without one the library takes a key that everybody knows.
    jwks: { keys: [generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })] },
    ttl: SECONDS,
    renderError: showError,
  };
}

function featuresFor(url: string): Configuration["features"] {
  const off = { enabled: false };
  return {
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
    revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resourceOf(url),
      useGrantedResource: () => true,
      getResourceServerInfo(_, indicator) {
        if (!isOwnResource(url, indicator)) throw new errors.InvalidTarget();
        return { scope: SCOPES.join(" "), audience: resourceOf(url), accessTokenFormat: "opaque" };
      },
    },
  };
}

const COOKIE_OPTIONS = { httpOnly: true, sameSite: "lax" } as const;
