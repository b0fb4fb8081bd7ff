import { z } from "zod";
import type { LoggedEvent } from "../../core/events.ts";
import { isoMoment, toIso } from "../../core/fields.ts";

/** An event as answers carry it. `id` is its position in the organization's log. */
export const event = z.object({
  id: z.int(),
  ts: isoMoment,
  kind: z.string(),
  actor: z.string(),
  task_id: z.int().nullable(),
  message_id: z.int().nullable(),
  file_id: z.int().optional(),
  detail: z.string(),
  by_you: z.boolean(),
});

export function toEventAnswer(logged: LoggedEvent, reader: string): z.input<typeof event> {
  const { position: id, kind, actor, task: task_id, message: message_id, file, detail } = logged;
  const ofFile = file === null ? {} : { file_id: file };
  return { id, ts: toIso(logged.at), kind, actor, task_id, message_id, ...ofFile, detail, by_you: actor === reader };
}
