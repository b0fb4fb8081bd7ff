import type { Answer } from "../core/execute.ts";
import type { RuleSettings } from "../core/operation.ts";
import type { Route } from "./exchange.ts";
import type { JsonObject } from "./json-body.ts";

/** An address of ChatRoomMCP and the operation behind it now. */
export interface Alias {
  readonly method: Route["method"];
  readonly path: string;
  readonly operation: string;
  /** Parameters taken from the address, as what they read. Others are refused. */
  readonly takes?: Readonly<Record<string, "text" | "number">>;
  /** Parameters that are accepted and mean nothing any more. */
  readonly ignores?: readonly string[];
  /** A POST without a body means one with nothing in it. */
  readonly bodyMayBeMissing?: true;
  /** Input that the address itself stands for. */
  readonly fixed?: JsonObject;
  /** Input unless given. */
  readonly usual?: JsonObject;
  /** Answers with `agent` beside `you_are`, as the original did. */
  readonly withAgent?: true;
  /** Tells the versions of what runs beside agents. */
  readonly withVersions?: true;
  /** Gives the answer the original's fields besides its own. */
  readonly shape?: (value: Answer["value"], input: JsonObject, settings: RuleSettings) => Answer["value"];
}
