import type { OAuthRecords } from "../../access/oauth/records.ts";
import { type Outbound, OutboundProblem } from "../../access/outbound.ts";
import { openAddressLimit } from "../../access/throttle.ts";
import { fail, HubError } from "../../core/errors.ts";
import type { Caller } from "../../core/operation.ts";
import { type JsonObject, parseJsonObject } from "../json-body.ts";
import { ClientProblem, normaliseClient } from "./clients.ts";
import { UNUSED_SECONDS } from "./registration.ts";

/** A document has room for what we keep of it many times over. */
const BOUNDS = { bytes: 5 * 1024, ms: 5_000 };
/** Documents that one person can have fetched. */
const FETCHES = { limit: 20, windowSeconds: 600 };
/** How long (s) one is not fetched again. */
const FRESH_SECONDS = 600;

export interface Documents {
  /**
   * Fetches the document that a client names itself by, and keeps the client that it describes.
   *
   * @throws HubError `client_document_unfit`, `too_many_from_address`
   * @source draft-ietf-oauth-client-id-metadata-document
   */
  fetch(id: string, person: Caller): Promise<void>;
}

/** Whether a client names itself by an address. Those that registered have names without a colon. */
export function isDocumentId(id: string): boolean {
  return /^https:/i.test(id);
}

export function openDocuments(records: OAuthRecords, outbound: Outbound): Documents {
  const admit = openAddressLimit(FETCHES);

  async function fetchAndKeep(id: string) {
    const document = parseJsonObject(await outbound.get(addressOf(id), BOUNDS));
    refuseForeign(document, id);
    const client = normaliseClient(document, id, Math.floor(Date.now() / 1_000));
    await records.keep("Client", id, { ...client }, UNUSED_SECONDS);
    await records.keep("Document", id, {}, FRESH_SECONDS);
  }

  return {
    async fetch(id, { organization, handle }) {
      if (await records.find("Document", id)) return;
      await admit(`${organization}/${handle}`);
      try {
        await fetchAndKeep(id);
      } catch (error) {
        const problem = problemOf(error);
        if (problem === undefined) throw error;
        throw fail("client_document_unfit", { problem });
      }
    },
  };
}

const LONGEST_ID = 1_000;
const VISIBLE = /^[\x21-\x7e]+$/;

/** The address, which has to be in the one spelling that the parser would give it, with a path. */
function addressOf(id: string): URL {
  if (id.length > LONGEST_ID || !VISIBLE.test(id) || !URL.canParse(id))
    throw new OutboundProblem("its address cannot be one");
  const address = new URL(id);
  if (address.hash !== "" || id.endsWith("#")) throw new OutboundProblem("its address has a fragment");
  if (address.pathname === "/") throw new OutboundProblem("its address has no path");
  if (address.href !== id || /\/(\.|%2e){1,2}(\/|$)/i.test(address.pathname))
    throw new OutboundProblem("its address is not in its plain form");
  return address;
}

const SHARED_SECRETS: ReadonlySet<unknown> = new Set([
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
]);

function refuseForeign(document: JsonObject, id: string) {
  if (document["client_id"] !== id) throw new OutboundProblem("it is the document of another client_id");
  if ("client_secret" in document || SHARED_SECRETS.has(document["token_endpoint_auth_method"]))
    throw new OutboundProblem("it speaks of a shared secret, which a public document cannot hold");
}

/** What the person is told; undefined for what is no fault of the document. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof OutboundProblem || error instanceof ClientProblem) return error.message.replace(/\.$/, "");
  if (error instanceof HubError && error.code === "not_json") return "it is not one JSON object";
  return undefined;
}
