import { hash } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";

/** The site that a passkey holds for, as browsers see it. */
export interface Site {
  readonly id: string;
  readonly origin: string;
}

/** A passkey as it is kept: the key in COSE form, base64url. */
export interface Passkey {
  readonly id: string;
  readonly public_key: string;
  readonly counter: number;
}

/** What a passkey signed, with all that is needed to check it again without asking anybody. It is kept as JSON. */
export interface Signature {
  readonly site: Site;
  readonly assertion: z.output<typeof assertion>;
}

/**
 * The site of a hub that is reached at `url`; undefined where browsers allow no passkeys: beyond this machine they want https
 * and a name.
 */
export function siteOf(url: string): Site | undefined {
  const { protocol, hostname, port, origin } = new URL(url);
  if (["localhost", "127.0.0.1", "[::1]"].includes(hostname))
    return { id: "localhost", origin: `${protocol}//localhost${port && `:${port}`}` };
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
  return protocol === "https:" && isNamed ? { id: hostname, origin } : undefined;
}

const bytes = z
  .string()
  .max(8_192)
  .regex(/^[\w-]+$/, "must be base64url");
const credential = {
  id: bytes,
  rawId: bytes,
  type: z.literal("public-key"),
  clientExtensionResults: z.looseObject({}).default({}),
};

/** What `PublicKeyCredential.toJSON` gives after signing. @source Web Authentication Level 3, 5.1. */
const assertion = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
});

/** The same after registering. */
const attestation = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes, attestationObject: bytes }),
});

const signature = z.object({ site: z.object({ id: z.string(), origin: z.string() }), assertion });

/** What a browser gave after registering, as JSON; undefined when it is of no such form. */
export function parseAttestation(text: string): z.output<typeof attestation> | undefined {
  return attestation.safeParse(parse(text)).data;
}

/** The same after signing. */
export function parseAssertion(text: string): z.output<typeof assertion> | undefined {
  return assertion.safeParse(parse(text)).data;
}

/** The same for a signature as it is kept. */
export function parseSignature(text: string): Signature | undefined {
  return signature.safeParse(parse(text)).data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The new passkey, when its registration answers `challenge` (base64url) on this site and the person was verified. */
export async function readRegistration(
  response: z.output<typeof attestation>,
  challenge: string,
  site: Site,
): Promise<Passkey | undefined> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { verified, registrationInfo } = await quietly(() =>
    verifyRegistrationResponse({
      response: response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
    }),
  );
  if (!verified || !registrationInfo) return undefined;
  const { id, publicKey, counter } = registrationInfo.credential;
  return { id, public_key: Buffer.from(publicKey).toString("base64url"), counter };
}

/** The passkey's new counter, when it signed what `approvalHash` (hex) stands for, on that site, and its person was verified. */
export async function readSignature(
  { assertion: response, site }: Signature,
  approvalHash: string,
  { id, public_key, counter }: Passkey,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { verified, authenticationInfo } = await quietly(() =>
    verifyAuthenticationResponse({
      response: response,
      expectedChallenge: challengeOf(approvalHash),
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, "base64url")), counter },
      requireUserVerification: true,
    }),
  );
  return verified ? authenticationInfo?.newCounter : undefined;
}

/** The bytes of a hash as browsers want them. */
export function challengeOf(approvalHash: string): string {
  return Buffer.from(approvalHash, "hex").toString("base64url");
}

/** What authenticators know a person by: it says nothing to those who read it there. */
export function userIdOf(organization: string, handle: string): string {
  return hash("sha256", JSON.stringify(["crewroom person", organization, handle]), "base64url");
}

/** The library throws for whatever does not fit; to us that is a no. */
async function quietly<Verified extends { verified: boolean }>(
  verify: () => Promise<Verified>,
): Promise<Verified | { verified: false; registrationInfo?: never; authenticationInfo?: never }> {
  try {
    return await verify();
  } catch {
    return { verified: false };
  }
}
