import type { IClientOptions, MqttClient } from "mqtt";
import { DELIVERY_MS, DeliveryProblem, type FollowerKind } from "./follower.ts";
import type { FollowedEvent } from "./follower-queries.ts";
import { tellEvent } from "./tell-event.ts";

export interface MqttSettings {
  /** `mqtt://`, `mqtts://`, `ws://` or `wss://`; may hold a name and a password. */
  readonly url: string;
  readonly prefix: string;
  /** This process; a broker cuts one of two clients of a name. */
  readonly node: string;
}

export interface MqttBridge extends FollowerKind {
  close(): Promise<void>;
}

/** What happens in rooms as messages to a broker, at least once: `<prefix>/<organization>/<room>/<kind>`, not retained. */
export function mqttBridge({ url, prefix, node }: MqttSettings): MqttBridge {
  let connection: Promise<MqttClient> | undefined;

  async function connected(): Promise<MqttClient> {
    try {
      connection ??= connect(url, node, () => (connection = undefined));
      return await connection;
    } catch (cause) {
      connection = undefined;
      // The library's own words may repeat the address with its password.
      throw new DeliveryProblem("its broker could not be reached", { cause: nameOf(cause) });
    }
  }

  async function publish(event: FollowedEvent): Promise<void> {
    const { organization, room_name, kind } = event;
    const client = await connected();
    const topic = [prefix, organization, room_name, kind].join("/");
    try {
      await inTime(client, client.publishAsync(topic, JSON.stringify(tellEvent(event)), { qos: 1 }));
    } catch (cause) {
      connection = undefined;
      client.end(true);
      throw new DeliveryProblem("its broker did not take it", { cause: nameOf(cause) });
    }
  }

  const delivery = { wants: () => true, deliver: publish };
  return {
    kind: "mqtt",
    everywhere: true,
    open: () => Promise.resolve(delivery),
    async close() {
      const client = await connection?.catch(() => undefined);
      client?.end(true);
    },
  };
}

/** Loaded at the first event: a hub without a broker has no use for it. A lost connection is made anew for the next event. */
async function connect(url: string, node: string, lost: () => void): Promise<MqttClient> {
  const mqtt = await import("mqtt");
  const client = mqtt.connect({ ...placeOf(url), clientId: `crewroom-${node}` });
  // Every publication under way listens for the close, and there may be as many as organizations.
  client.setMaxListeners(0);
  const { promise, resolve, reject } = Promise.withResolvers<MqttClient>();
  client.once("connect", () => resolve(client));
  client.once("close", () => reject(new Error("The connection was closed.")));
  client.once("close", lost);
  // Without a listener an error would end the process; a close follows it.
  client.on("error", reject);
  try {
    return await promise;
  } catch (cause) {
    client.end(true);
    throw cause;
  }
}

/** In parts: given the address, the library reads it with a function that Node warns of. */
function placeOf(url: string): IClientOptions {
  const { protocol, hostname, port, username, password, pathname, search } = new URL(url);
  return {
    protocol: protocol.slice(0, -1) as NonNullable<IClientOptions["protocol"]>, // the setting allows no other
    hostname: protocol.startsWith("ws") ? hostname : hostname.replace(/^\[|\]$/g, ""),
    ...(port !== "" && { port: Number(port) }),
    ...(username !== "" && { username: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
    ...(protocol.startsWith("ws") && { path: pathname + search }),
    reconnectPeriod: 0,
    connectTimeout: DELIVERY_MS / 2,
  };
}

/** The library waits for ever for an answer from a connection that is gone. */
async function inTime<T>(client: MqttClient, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const lost = () => reject(new Error("The connection was lost."));
  const timer = setTimeout(lost, DELIVERY_MS);
  client.once("close", lost);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    client.off("close", lost);
    // Once the client ends it may still fail; nobody waits for it then.
    work.catch(() => undefined);
  }
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : typeof cause;
}
