import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** How long (ms) one proof of life holds: a path by which nothing was heard for longer is not counted on. */
export const PATH_LIVES_MS = 60_000;

/** By which paths something reaches a member now, and when anything was last heard from it (ms since 1970). */
export interface Reach {
  readonly paths: string[];
  readonly last_seen: number | null;
}

/** How each of these members can be reached now: `tool`, `hook`, `watch`, `bridge`. Every handle asked for has an entry. */
export async function livePaths(tx: Tx, organization: string, handles: readonly string[]): Promise<Map<string, Reach>> {
  const reach = new Map<string, Reach>(handles.map((handle) => [handle, { paths: [], last_seen: null }]));
  if (handles.length === 0) return reach;
  const rows = await tx.all<{ member: string; path: string; seen_at: number }>(sql`
    select member, path, max(seen_at) as seen_at
    from presence
    where organization = ${organization} and member in (${sql.list(handles)})
    group by member, path
    order by member, path`);
  for (const { member, path, seen_at } of rows) {
    const known = reach.get(member);
    const paths = [...(known?.paths ?? []), ...(seen_at > tx.now - PATH_LIVES_MS ? [path] : [])];
    reach.set(member, { paths, last_seen: Math.max(known?.last_seen ?? seen_at, seen_at) });
  }
  return reach;
}
