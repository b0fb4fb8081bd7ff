import { toIso } from "../core/fields.ts";
import type { FollowedEvent } from "./follower-queries.ts";

/** An event as it leaves the hub: what `read_events` tells, and where. */
export function tellEvent(event: FollowedEvent): Record<string, unknown> {
  return {
    id: event.position,
    organization: event.organization,
    room: event.room_name,
    ts: toIso(event.at),
    kind: event.kind,
    actor: event.actor,
    task_id: event.task,
    message_id: event.message,
    ...(event.file !== null && { file_id: event.file }),
    detail: event.detail,
  };
}
