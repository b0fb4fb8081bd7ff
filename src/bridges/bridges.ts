import type { Outbound } from "../access/outbound.ts";
import { openPushKey } from "../access/push-key.ts";
import { openSeal } from "../access/seal.ts";
import type { SecretKey } from "../access/secret-key.ts";
import type { Core } from "../core/execute.ts";
import type { Log } from "../core/log.ts";
import { type Followers, openFollowers } from "./follower.ts";
import { mqttBridge } from "./mqtt.ts";
import { notices } from "./notices.ts";
import { webhooks } from "./webhooks.ts";

export interface BridgeParts {
  readonly core: Pick<Core, "store" | "settings">;
  readonly log: Log;
  readonly outbound: Outbound;
  readonly secretKey: SecretKey;
  readonly settings: { readonly CREWROOM_MQTT_URL: string | undefined; readonly CREWROOM_MQTT_PREFIX: string };
}

/** All that carries events out of the hub, as followers of the log. */
export function openBridges({ core, log, outbound, secretKey, settings }: BridgeParts): Followers {
  const { store, settings: rules } = core;
  const { CREWROOM_MQTT_URL: url, CREWROOM_MQTT_PREFIX: prefix } = settings;
  const seal = openSeal(() => secretKey);
  const pushKey = () => openPushKey(secretKey);
  const mqtt = url === undefined ? [] : [mqttBridge({ url, prefix, node: rules.node })];
  const kinds = [webhooks(outbound, seal), notices({ outbound, seal, pushKey, url: () => rules.url }), ...mqtt];
  const followers = openFollowers({ store, log, node: rules.node, kinds });
  return {
    work: followers.work,
    async stop() {
      await followers.stop();
      for (const bridge of mqtt) await bridge.close();
    },
  };
}
