import { OPERATOR_AUTHOR } from "../../access/operator.ts";
import { appendEvents } from "../../core/event-log.ts";
import type { Tx } from "../../store/store.ts";
import { makeEpoch } from "../organizations/make-organization.ts";
import { listOrganizations } from "../organizations/queries.ts";
import { dropGrantRecords, endSignIns, type LiveTokenRow, listLiveTokens, renewEpoch } from "./queries.ts";

/** What a restore did beyond putting rows back. */
export interface AfterRestore {
  readonly organizations: readonly string[];
  readonly ended_sign_ins: number;
  /** Those that work again, even where they were revoked after the backup was made. */
  readonly tokens: readonly LiveTokenRow[];
}

/**
 * Makes a database out of a backup safe to serve: every log gets another name, so that whoever has a cursor is told; sign-ins and
 * grants end, since they may have been ended after the backup; and each log says what happened.
 *
 * @param madeAt  when the backup was made.
 */
export async function finishRestore(tx: Tx, madeAt: string): Promise<AfterRestore> {
  const organizations = (await listOrganizations(tx)).map(({ id }) => id);
  const tokens: LiveTokenRow[] = [];
  let ended = 0;
  for (const organization of organizations) {
    await renewEpoch(tx, organization, makeEpoch());
    ended += await endSignIns(tx, organization, OPERATOR_AUTHOR.handle);
    tokens.push(...(await listLiveTokens(tx, organization)));
    appendEvents(tx, organization, OPERATOR_AUTHOR, [{ kind: "database_restored", detail: `backup of ${madeAt}` }]);
  }
  await dropGrantRecords(tx);
  return { organizations, ended_sign_ins: ended, tokens };
}
