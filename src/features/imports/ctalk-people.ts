import { ulid } from "ulid";
import { OPERATOR_AUTHOR } from "../../access/operator.ts";
import { appendEvents } from "../../core/event-log.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Foreign, ForeignRow } from "../../store/foreign.ts";
import type { Store, Tx } from "../../store/store.ts";
import { isHandleTaken } from "../people/member-queries.ts";
import { listIn, momentIn, textOf, textOrNull } from "./fields.ts";
import { inOneCommit, type Ledger } from "./ledger.ts";
import { nearestFree } from "./names.ts";
import { hasMember, insertFormerToken } from "./queries.ts";
import { insertOldPerson, type OldPerson } from "./question-queries.ts";
import { count, note, type Report } from "./report.ts";

/** What every step of an organization's import is given. */
export interface BringingPeople {
  readonly store: Store;
  readonly foreign: Foreign;
  readonly ledger: Ledger;
  readonly report: Report;
  /** The organization's id there. */
  readonly old: string;
}

const DAY = 86_400_000;
/** The one whose password the organization's was. No user of there can have a name with such a sign in it. */
const FOUNDER = { old: "=founder", handle: "admin" } as const;

/** Everybody, and the founder, who has the organization's own password. */
export async function importPersons(bringing: BringingPeople, organization: ForeignRow): Promise<void> {
  const { store, foreign, ledger, report, old } = bringing;
  const password = textOrNull(organization, "admin_password_hash");
  if (password !== null) await importFounder(bringing, password, momentIn(organization, "created_at"));
  const skills = await skillsOf(foreign, old);
  for await (const row of foreign.rows("users", ["org_id", "created_at", "user_id"])) {
    if (textOf(row, "org_id") !== old) continue;
    const user = textOf(row, "user_id");
    if (ledger.find("person", user)) count(report, "person", "already");
    else if (await isErased(bringing, user)) count(report, "person", "skipped");
    else
      await inOneCommit(store, ledger, (tx) =>
        importPerson(tx, bringing, user, {
          name: textOf(row, "name") || user,
          role: "member",
          password_hash: textOrNull(row, "password_hash"),
          ownership: JSON.stringify([...new Set([...listIn(row, "ownership"), ...(skills.get(user) ?? [])])]),
          notes: textOf(row, "notes"),
          profile_notes: textOf(row, "profile_notes"),
          created_at: momentIn(row, "created_at") ?? tx.now,
          gone: false,
        }),
      );
  }
}

/** Whoever was erased here does not come back by an import. */
export async function isErased({ store, ledger, report }: BringingPeople, old: string): Promise<boolean> {
  const { organization } = ledger.scope;
  const erased = await store.read(
    async (tx) => (await isHandleTaken(tx, organization, old)) && !(await hasMember(tx, organization, old)),
  );
  if (erased) note(report, `organization ${organization}: whoever was erased here is left out`);
  return erased;
}

/** An organization that is here already has a founder, or had none on purpose. */
async function importFounder(bringing: BringingPeople, password_hash: string, created: number | undefined) {
  const { store, ledger, report } = bringing;
  const { organization } = ledger.scope;
  if (ledger.find("person", FOUNDER.old)) return;
  if (await store.read((tx) => hasMember(tx, organization, FOUNDER.handle)))
    return note(
      report,
      `organization ${organization} has its founder already: the password of there is not brought over`,
    );
  await inOneCommit(store, ledger, async (tx) => {
    const facts = { name: "Admin", ownership: "[]", notes: "", profile_notes: "", created_at: created ?? tx.now };
    const person = {
      ...facts,
      organization,
      handle: FOUNDER.handle,
      role: "admin",
      password_hash,
      gone: false,
    } as const;
    await insertOldPerson(tx, person);
    tellAdded(tx, organization, FOUNDER.handle);
    await ledger.add(tx, "person", { old: FOUNDER.old, room: null, new: FOUNDER.handle });
  });
}

export async function importPerson(
  tx: Tx,
  { ledger, report }: BringingPeople,
  old: string,
  facts: Omit<OldPerson, "organization" | "handle">,
): Promise<string> {
  const { organization } = ledger.scope;
  const handle = await nearestFree(old, "person", (name) => isHandleTaken(tx, organization, name));
  await insertOldPerson(tx, { ...facts, organization, handle });
  tellAdded(tx, organization, handle);
  await ledger.add(tx, "person", { old, room: null, new: handle }, () => {
    if (handle !== old) report.renamed.push({ organization, kind: "person", old, new: handle });
  });
  return handle;
}

function tellAdded(tx: Tx, organization: string, handle: string) {
  appendEvents(tx, organization, OPERATOR_AUTHOR, [{ kind: "member_added", detail: handle, concerns: [handle] }]);
}

/** Skills stand among what somebody owns here. */
async function skillsOf(foreign: Foreign, organization: string): Promise<Map<string, string[]>> {
  const skills = new Map<string, string[]>();
  if ((await foreign.columns("skills")).length === 0) return skills;
  for await (const row of foreign.rows("skills", ["org_id", "user_id", "skill"])) {
    if (textOf(row, "org_id") !== organization) continue;
    const user = textOf(row, "user_id");
    skills.set(user, [...(skills.get(user) ?? []), textOf(row, "skill")]);
  }
  return skills;
}

/** Sign-ins by their hashes. They never ended there; here they end as every sign-in does. */
export async function importPersonTokens({ store, foreign, ledger, report, old }: BringingPeople): Promise<void> {
  const { organization } = ledger.scope;
  for await (const row of foreign.rows("auth_tokens", ["created_at", "token_hash"])) {
    if (textOf(row, "org_id") !== old) continue;
    const hash = textOf(row, "token_hash");
    const person = ledger.find("person", textOf(row, "user_id"));
    if (ledger.find("token", hash)) count(report, "token", "already");
    else if (!person) {
      count(report, "token", "skipped");
      note(report, `a token is of ${textOf(row, "user_id")}, who is not there`);
    } else
      await inOneCommit(store, ledger, async (tx) => {
        const id = ulid(tx.now).toLowerCase();
        const made = await insertFormerToken(tx, {
          organization,
          id,
          kind: "usr",
          member: person.new,
          hash,
          readonly: false,
          admin: false,
          all_rooms: false,
          rooms: [],
          created_at: momentIn(row, "created_at") ?? tx.now,
          expires_at: tx.now + LIMITS.sessionDays * DAY,
          revoked_at: null,
          last_seen_at: momentIn(row, "last_used_at") ?? null,
        });
        if (!made) return;
        const detail = `${person.new} ${id} imported`;
        appendEvents(tx, organization, OPERATOR_AUTHOR, [{ kind: "signed_in", detail, concerns: [person.new] }]);
        await ledger.add(tx, "token", { old: hash, room: null, new: id });
      });
  }
}
