import { type Adapter, errors } from "oidc-provider";
import type { OAuthRecords } from "../../access/oauth/records.ts";

/**
 * The library's storage on ours. It asks for one adapter per kind of record.
 *
 * A browser's sign-in at the authorization server is not kept: the hub's own session is the one, and each client asks anew.
 */
export function adapterFor(records: OAuthRecords): (kind: string) => Adapter {
  return (kind) => (kind === "Session" ? NOTHING : adapterOf(records, kind));
}

function adapterOf(records: OAuthRecords, kind: string): Adapter {
  return {
    upsert: (id, payload, expiresIn = 0) => records.keep(kind, id, payload, expiresIn),
    find: (id) => records.find(kind, id),
    async consume(id) {
      if ((await records.consume(kind, id)) || kind !== "AuthorizationCode") return;
      // Two came with one code at once, and one of them has stolen it.
      const code = await records.find(kind, id);
      if (typeof code?.["grantId"] === "string") await records.endGrant(code["grantId"]);
      throw new errors.InvalidGrant("authorization code already consumed");
    },
    destroy: (id) => (kind === "Grant" ? records.endGrant(id) : records.drop(kind, id)),
    revokeByGrantId: (grantId) => records.endGrant(grantId),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
}

const nothing = async () => undefined;

const NOTHING: Adapter = {
  upsert: nothing,
  find: nothing,
  consume: nothing,
  destroy: nothing,
  revokeByGrantId: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
};
