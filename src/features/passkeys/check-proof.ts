import { parseSignature, readSignature } from "../../access/passkeys.ts";
import type { Tx } from "../../store/store.ts";
import { findPasskeyEver } from "./queries.ts";

/**
 * Whether the proof that was kept with an answer is a signature of a passkey of this person's over `hash`. Asks nobody but the
 * database. The second step hashes and verifies, and belongs outside of a transaction.
 */
export async function checkProof(
  read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  { organization, person, hash, proof }: { organization: string; person: string; hash: string; proof: string },
): Promise<boolean> {
  const signature = parseSignature(proof);
  if (!signature) return false;
  const passkey = await read((tx) => findPasskeyEver(tx, organization, person, signature.assertion.id));
  // The counter only says which use came first, and later ones have raised it.
  return passkey !== undefined && (await readSignature(signature, hash, { ...passkey, counter: 0 })) !== undefined;
}

/** What is wrong with an answer's signature: one that counts as signed has one, of its person's, and no other has. */
export async function problemsOfProof(
  read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  answer: { organization: string; person: string; hash: string; level: string; proof: string | null },
): Promise<string[]> {
  const { level, proof, organization, person, hash } = answer;
  if (level !== "signed") return proof === null ? [] : ["it has a signature and does not count as signed"];
  const isSigned = proof !== null && (await checkProof(read, { organization, person, hash, proof }));
  return isSigned ? [] : ["its signature is of no passkey of its person over that hash"];
}
