import type pg from "pg";
import { StoreSetupError } from "./store.ts";

const NEEDED_SETTINGS = {
  fsync: ["on"],
  full_page_writes: ["on"],
  synchronous_commit: ["on", "remote_apply", "remote_write"],
};

/** @throws StoreSetupError when a setting of the server could lose acknowledged writes. */
export async function refuseUnsafeServer(client: pg.PoolClient) {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    "select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
  );
  const { version, encoding } = rows[0] ?? { version: 0, encoding: "" };
  if (version < 140_000) throw new StoreSetupError(`Postgres ${version / 10_000} is older than 14.`);
  if (encoding !== "UTF8") throw new StoreSetupError(`The database's encoding is ${encoding}; it must be UTF8.`);
  for (const [name, allowed] of Object.entries(NEEDED_SETTINGS)) {
    const value = (await client.query("select current_setting($1) as value", [name])).rows[0].value as string;
    if (allowed.includes(value)) continue;
    throw new StoreSetupError(
      `Postgres runs with ${name}=${value}, which can lose acknowledged writes; it must be ${allowed.join(" or ")}.`,
    );
  }
}
