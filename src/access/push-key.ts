import { createECDH, createPrivateKey, type KeyObject, sign } from "node:crypto";
import type { SecretKey } from "./secret-key.ts";

/** What push services know this hub by. The same on every node, for it is made from the hub's secret. */
export interface PushKey {
  /** An uncompressed P-256 point, base64url, as browsers want it when they subscribe. */
  readonly publicKey: string;
  /**
   * The Authorization header for one message to an endpoint.
   *
   * @param contact  an address by which the push service reaches this hub's operator.
   * @source RFC 8292 (VAPID): a JWT signed with ES256, good for twelve hours.
   */
  authorize(endpoint: URL, contact: string): string;
}

const CURVE = "prime256v1";
const HOURS_GOOD = 12;

export function openPushKey(secret: SecretKey): PushKey {
  const pair = createECDH(CURVE);
  // Of 2^32 seeds fewer than one is no number of the curve's.
  pair.setPrivateKey(secret.keyFor("web push"));
  const point = pair.getPublicKey();
  const publicKey = point.toString("base64url");
  const key = privateKeyOf(pair.getPrivateKey(), point);
  return {
    publicKey,
    authorize(endpoint, contact) {
      const claims = { aud: endpoint.origin, exp: Math.floor(Date.now() / 1_000) + HOURS_GOOD * 3_600, sub: contact };
      const said = [{ typ: "JWT", alg: "ES256" }, claims].map((part) => base64url(JSON.stringify(part))).join(".");
      const signature = sign("sha256", Buffer.from(said), { key, dsaEncoding: "ieee-p1363" });
      return `vapid t=${said}.${signature.toString("base64url")}, k=${publicKey}`;
    },
  };
}

function privateKeyOf(number: Buffer, point: Buffer): KeyObject {
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  return createPrivateKey({ key: { kty: "EC", crv: "P-256", d: padded(number), x, y }, format: "jwk" });
}

/** The library leaves out zeros in front; the format wants all 32 bytes. */
function padded(number: Buffer): string {
  return Buffer.concat([Buffer.alloc(32 - number.length), number]).toString("base64url");
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
