import { expect, test } from "vitest";
import { openLog } from "../core/log.ts";
import { StoreError } from "../store/store.ts";
import { refuse } from "./refusal.ts";

test("a database that is away while a credential is looked up is a 503, not a fault of the hub", () => {
  const { code, reply } = refuse(new StoreError("away"), "trace-1", openLog("silent"));

  expect([code, reply.status]).toEqual(["database_away", 503]);
});
