import type { Context } from "../../core/operation.ts";
import { withdrawPasswordLinks } from "./password-queries.ts";
import { endSessions } from "./session-queries.ts";

/**
 * Ends what came of a person's former password: its sessions, but for the one of this very call, and the open links that would
 * set another. Gives how many sessions that were.
 */
export async function endFormerPassword({ tx, caller, emit }: Context, person: string): Promise<number> {
  const { organization, handle: by, credential } = caller;
  for (const id of await withdrawPasswordLinks(tx, organization, person))
    emit({ kind: "person_invited", detail: `${id} withdrawn` });
  const ended = await endSessions(tx, { organization, person, by }, { but: credential });
  for (const id of ended) emit({ kind: "signed_out", detail: `${person} ${id}`, concerns: [person] });
  return ended.length;
}
