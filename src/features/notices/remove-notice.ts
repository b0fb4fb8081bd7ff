import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { deleteNoticeOf } from "./queries.ts";

export const removeNotice = defineOperation({
  name: "remove_notice",
  title: "Be told no more",
  description: "You are told no more by that address, which is forgotten.",
  kind: "command",
  needs: "self",
  notForAgents: true,
  input: z.object({ notice_id: z.string().min(1).max(LIMITS.handle) }),
  output: z.object({ removed: z.literal(true), notice_id: z.string() }),
  errors: ["not_found"],
  example: { notice_id: "01notice" },

  async run({ tx, caller, emit }, { notice_id }) {
    if (!(await deleteNoticeOf(tx, caller, notice_id)))
      throw fail("not_found", { what: "notice of yours with that id" });
    emit({ kind: "notice_removed", detail: `${caller.handle}: ${notice_id}`, concerns: [caller.handle] });
    return { removed: true as const, notice_id };
  },
});
