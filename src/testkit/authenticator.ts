import { createHash, generateKeyPairSync, randomBytes, sign as signWith } from "node:crypto";
import { challengeOf } from "../access/passkeys.ts";
import { PASSWORD } from "./cast.ts";
import type { TestHub } from "./hub.ts";

/** What an authenticator is asked, and what a test wants it to get wrong. */
export interface Asked {
  /** Base64url. */
  readonly challenge: string;
  readonly site?: string;
  readonly origin: string;
  /** Whether it asked its person for a finger or a PIN. */
  readonly verified?: boolean;
  readonly counter?: number;
}

/** A person before its browser, with a passkey that it has registered there. */
export async function withPasskey(hub: TestHub, handle: string) {
  const page = await hub.browser(handle);
  const key = makeAuthenticator();
  const origin = hub.url.replace("127.0.0.1", "localhost");
  const { challenge } = await page.call("list_passkeys");
  const attestation = key.register({ challenge, origin });
  await page.call("register_passkey", { label: "laptop", password: PASSWORD, attestation });
  return {
    page,
    key,
    /** Shows a request and gives what the page's button sends, signed with this passkey or another. */
    async sign(approval_id: string, other = key) {
      const { hash } = await page.call("show_approval", { approval_id });
      return { approval_id, hash, assertion: other.sign({ challenge: challengeOf(hash), origin }) };
    },
  };
}

/** A passkey in software, answering as browsers do. @source Web Authentication Level 3, 6.1 and 6.5. */
export interface TestAuthenticator {
  readonly id: string;
  /** JSON of what `navigator.credentials.create` gives. */
  register(asked: Asked): string;
  /** JSON of what `navigator.credentials.get` gives. */
  sign(asked: Asked): string;
}

export function makeAuthenticator(): TestAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const rawId = randomBytes(16);
  const id = rawId.toString("base64url");
  const cose = cborMap([
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(-7)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, "base64url"))],
    [cborInt(-3), cborBytes(Buffer.from(y, "base64url"))],
  ]);
  const credential = { id, rawId: id, type: "public-key", clientExtensionResults: {} };
  return {
    id,
    register(asked) {
      const length = Buffer.from([0, rawId.length]);
      const authData = Buffer.concat([authDataOf(asked, 0x40), Buffer.alloc(16), length, rawId, cose]);
      const attestationObject = cborMap([
        [cborText("fmt"), cborText("none")],
        [cborText("attStmt"), cborMap([])],
        [cborText("authData"), cborBytes(authData)],
      ]);
      const clientDataJSON = clientDataOf("webauthn.create", asked).toString("base64url");
      const response = { clientDataJSON, attestationObject: attestationObject.toString("base64url"), transports: [] };
      return JSON.stringify({ ...credential, response });
    },
    sign(asked) {
      const [authData, clientData] = [authDataOf(asked, 0), clientDataOf("webauthn.get", asked)];
      const signature = signWith("sha256", Buffer.concat([authData, sha256(clientData)]), privateKey);
      const response = {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
      };
      return JSON.stringify({ ...credential, response });
    },
  };
}

const PRESENT = 0x01;
const VERIFIED = 0x04;

function authDataOf({ site = "localhost", verified = true, counter = 0 }: Asked, more: number): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([sha256(Buffer.from(site)), Buffer.from([PRESENT | (verified ? VERIFIED : 0) | more]), count]);
}

function clientDataOf(type: string, { challenge, origin }: Asked): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** @source RFC 8949 3: the major type in the upper three bits, then the value or length. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

function cborInt(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
}

function cborMap(pairs: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()]);
}
