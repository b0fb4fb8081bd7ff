/**
 * What is to be done at an event: `start` tells where the agent stands, `prompt` and `step` bring news, `stop` does when
 * something is for the agent; `quiet` and `end` only say what was shown before.
 */
export type Occasion = "start" | "prompt" | "step" | "stop" | "quiet" | "end";

type Fields = Readonly<Record<string, unknown>>;

/** How one client tells a hook of its events, and what it reads from it. Times are the hook's own affair. */
export interface Adapter {
  /** The events that something is done at. Others pass in silence. */
  readonly occasions: Readonly<Record<string, Occasion>>;
  /** By what an idle session of it can be woken; where there is nothing, news wait for its next prompt. */
  readonly wokenBy: readonly string[];
  /** The field with the client's own name for the session. */
  readonly session: string;
  /** The event is a subagent's, which must not eat its parent's news. */
  isSubagents(fields: Fields): boolean;
  /** The turn goes on because of a hook already; once more would be a circle. */
  goesOn(fields: Fields): boolean;
  /** What the client reads as a text for its model. Nothing at all is printed where there is nothing new. */
  write(event: string, occasion: Occasion, text: string): object;
}

/** The form that Claude Code began, and others took over. */
export function hookSpecific(event: string, text: string): object {
  return { hookSpecificOutput: { hookEventName: event, additionalContext: text } };
}

export function isNamed(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
