import type { Outbound } from "../access/outbound.ts";
import type { Seal } from "../access/seal.ts";
import type { Log } from "../core/log.ts";
import type { Store } from "../store/store.ts";
import { type Followers, openFollowers } from "./follower.ts";
import { mqttBridge } from "./mqtt.ts";
import { webhooks } from "./webhooks.ts";

export interface BridgeParts {
  readonly store: Store;
  readonly log: Log;
  readonly node: string;
  readonly outbound: Outbound;
  readonly seal: Seal;
  readonly settings: { readonly CREWROOM_MQTT_URL: string | undefined; readonly CREWROOM_MQTT_PREFIX: string };
}

/** All that carries events out of the hub, as followers of the log. */
export function openBridges({ store, log, node, outbound, seal, settings }: BridgeParts): Followers {
  const { CREWROOM_MQTT_URL: url, CREWROOM_MQTT_PREFIX: prefix } = settings;
  const mqtt = url === undefined ? undefined : mqttBridge({ url, prefix, node });
  const followers = openFollowers({ store, log, node, kinds: [webhooks(outbound, seal), ...(mqtt ? [mqtt] : [])] });
  return {
    work: followers.work,
    async stop() {
      await followers.stop();
      await mqtt?.close();
    },
  };
}
