import { OPERATOR_AUTHOR } from "../../access/operator.ts";
import { name as organizationName } from "../../core/fields.ts";
import type { Foreign, ForeignRow } from "../../store/foreign.ts";
import { type Store, StoreSetupError } from "../../store/store.ts";
import { hasOrganization } from "../../access/queries.ts";
import { makeOrganization } from "../organizations/make-organization.ts";
import { importPersons, importPersonTokens } from "./ctalk-people.ts";
import { importQuestions } from "./ctalk-questions.ts";
import { openLedger } from "./ledger.ts";
import { nearestFree } from "./names.ts";
import { findOrganizationOf, noteImported } from "./queries.ts";
import { emptyReport, type Report } from "./report.ts";
import { textOf } from "./fields.ts";

const TABLES = ["organizations", "users", "auth_tokens", "org_messages"] as const;
const KINDS = ["person", "token", "question"] as const;

/**
 * Brings a database of Ctalk over: organizations with their people, whose passwords and tokens go on working, and what they asked
 * each other. An organization goes into one of its own id, made if it is not there. What an earlier run brought is left alone.
 *
 * @throws StoreSetupError when the database is another one, or of a generation without organizations.
 */
export async function importCtalk(store: Store, foreign: Foreign, source: string): Promise<Report> {
  await refuseOthers(foreign);
  const report = emptyReport("ctalk", source);
  for await (const row of foreign.rows("organizations", ["id"])) {
    const organization = await ensureOrganization(store, report, row);
    const ledger = await openLedger(store, { organization, source }, KINDS, report);
    const bringing = { store, foreign, ledger, report, old: textOf(row, "id") };
    await importPersons(bringing, row);
    await importPersonTokens(bringing);
    await importQuestions(bringing);
  }
  return report;
}

async function refuseOthers(foreign: Foreign) {
  for (const table of TABLES) {
    if ((await foreign.columns(table)).length > 0) continue;
    const isFirst = (await foreign.columns("roster")).length > 0;
    const why = isFirst
      ? "it is of its first generation, without organizations and passwords"
      : `it has no table ${table}`;
    throw new StoreSetupError(`That is no database of Ctalk that can be imported: ${why}.`);
  }
}

/** The organization here: the one that an earlier run made for it, or one of its id. */
async function ensureOrganization(store: Store, report: Report, row: ForeignRow): Promise<string> {
  const old = textOf(row, "id");
  const known = await store.read((tx) => findOrganizationOf(tx, report.source, "organization", old));
  const there = known ?? (organizationName.safeParse(old).success ? old : await nearestOrganization(store, old));
  report.organizations.push(there);
  if (known !== undefined) return there;
  await store.write(there, async (tx) => {
    await makeOrganization(tx, { id: there, name: textOf(row, "name") || there, by: OPERATOR_AUTHOR });
    await noteImported(tx, { organization: there, source: report.source }, "organization", {
      old,
      room: null,
      new: there,
    });
  });
  if (there !== old) report.renamed.push({ organization: there, kind: "organization", old, new: there });
  return there;
}

function nearestOrganization(store: Store, old: string): Promise<string> {
  return nearestFree(old, "organization", (name) => store.read((tx) => hasOrganization(tx, name)));
}
