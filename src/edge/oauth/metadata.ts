import { USUAL_SCOPES } from "../../access/oauth/scopes.ts";
import { json, type Route } from "../exchange.ts";
import { addressAsCalled, addressForBrowsers, resourceOf } from "./own-addresses.ts";

/** The addresses of the authorization server. */
export const PATHS = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  keys: "/oauth/jwks",
  login: "/oauth/login",
} as const;

const PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";

export interface MetadataParts {
  /** The hub's own address, without a slash at the end: the issuer. */
  readonly url: string;
  readonly takesDocuments: boolean;
}

/** What clients read before they sign somebody in. Each document is also where a path after the host would put it. */
export function metadataRoutes(parts: () => MetadataParts): Route[] {
  const document = (path: string, make: (parts: MetadataParts, host: string | undefined) => object): Route => ({
    method: "GET",
    path,
    open: true,
    run: ({ headers }) => json(200, make(parts(), headers.host)),
  });
  return [
    document(PROTECTED_RESOURCE, protectedResource),
    document(`${PROTECTED_RESOURCE}/mcp`, protectedResource),
    document(SERVER, server),
    document(`${SERVER}/mcp`, server),
    document("/.well-known/openid-configuration", openIdProvider),
    document(PATHS.keys, () => ({ keys: [] })),
  ];
}

/** Where the document is that says how to sign in: a client that is refused is told. */
export function protectedResourceAddress(url: string, host: string | undefined): string {
  return `${addressAsCalled(url, host)}${PROTECTED_RESOURCE}/mcp`;
}

/** @source RFC 9728, "OAuth 2.0 Protected Resource Metadata". */
function protectedResource({ url }: MetadataParts, host: string | undefined) {
  return {
    resource: resourceOf(addressAsCalled(url, host)),
    authorization_servers: [url],
    // Administering is asked for by name, when something needs it.
    scopes_supported: USUAL_SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Crewroom",
  };
}

/** @source RFC 8414, "OAuth 2.0 Authorization Server Metadata"; RFC 9207 for `iss` in the answer. */
function server({ url, takesDocuments }: MetadataParts) {
  return {
    issuer: url,
    authorization_endpoint: addressForBrowsers(url) + PATHS.authorize,
    token_endpoint: url + PATHS.token,
    registration_endpoint: url + PATHS.register,
    revocation_endpoint: url + PATHS.revoke,
    scopes_supported: USUAL_SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...(takesDocuments && { client_id_metadata_document_supported: true }),
  };
}

/** For clients that know only this name of the document. They want to see keys, though no token of ours is signed. */
function openIdProvider(parts: MetadataParts) {
  return {
    ...server(parts),
    jwks_uri: parts.url + PATHS.keys,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
}
