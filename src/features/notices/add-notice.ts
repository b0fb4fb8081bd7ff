import { ulid } from "ulid";
import { z } from "zod";
import { problemOfTarget } from "../../access/outbound.ts";
import { fail } from "../../core/errors.ts";
import { text } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { notice, toNotice } from "./notice-answer.ts";
import { CHANNELS, insertNotice, listNoticesOf } from "./queries.ts";

export const addNotice = defineOperation({
  name: "add_notice",
  title: "Be told when away",
  description:
    "Tells you by ntfy, a Slack-style webhook or your browser's push when a question or a draft waits for you, or yours is answered. It says only which page to open.",
  kind: "command",
  needs: "self",
  notForAgents: true,
  input: z.object({
    channel: z.enum(CHANNELS),
    address: z.string().max(LIMITS.hookUrl).describe("ntfy: the topic's. slack: the webhook's. web_push: the endpoint"),
    label: text(LIMITS.label).default(""),
  }),
  output: z.object({ added: z.literal(true), notice }),
  errors: ["too_many"],
  untrusted: [],
  example: { channel: "ntfy", address: "https://ntfy.example/a-topic-that-nobody-guesses" },

  async run({ tx, caller, emit, settings }, { channel, address, label }) {
    const problem = problemOfTarget(address, settings.outboundHosts);
    if (problem !== undefined) throw fail("bad_input", { field: "address", problem });
    if ((await listNoticesOf(tx, caller)).length >= LIMITS.noticesPerPerson)
      throw fail("too_many", { what: "notices of yours", most: LIMITS.noticesPerPerson });
    const id = ulid(tx.now).toLowerCase();
    const shown = new URL(address).host;
    await insertNotice(tx, caller, {
      id,
      channel,
      label,
      shown,
      address: settings.seal.close(address, `notice/${id}`),
    });
    emit({ kind: "notice_added", detail: `${caller.handle}: ${channel} ${id}`, concerns: [caller.handle] });
    const row = (await listNoticesOf(tx, caller)).find((one) => one.id === id);
    if (!row) throw new Error(`Notice ${id} is not there right after it was made.`);
    return { added: true as const, notice: toNotice(row) };
  },
});
