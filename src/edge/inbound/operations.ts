import type { Operation } from "../../core/operation.ts";

/** What others may do by a hook, and nothing else. */
export interface InboundOperations {
  readonly postMessage: Operation;
  readonly createTask: Operation;
  readonly getTask: Operation;
  readonly updateTask: Operation;
}

export function inboundOperations(named: (name: string) => Operation): InboundOperations {
  return {
    postMessage: named("post_message"),
    createTask: named("create_task"),
    getTask: named("get_task"),
    updateTask: named("update_task"),
  };
}
