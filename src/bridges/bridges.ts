import type { Outbound } from "../access/outbound.ts";
import type { Seal } from "../access/seal.ts";
import type { Log } from "../core/log.ts";
import type { Store } from "../store/store.ts";
import { type Followers, openFollowers } from "./follower.ts";
import { webhooks } from "./webhooks.ts";

export interface BridgeParts {
  readonly store: Store;
  readonly log: Log;
  readonly node: string;
  readonly outbound: Outbound;
  readonly seal: Seal;
}

/** All that carries events out of the hub, as followers of the log. */
export function openBridges({ outbound, seal, ...parts }: BridgeParts): Followers {
  return openFollowers({ ...parts, kinds: [webhooks(outbound, seal)] });
}
