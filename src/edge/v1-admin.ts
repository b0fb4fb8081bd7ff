import type { AgentScript } from "./scripts.ts";
import type { Alias } from "./v1-alias.ts";

type Shape = NonNullable<Alias["shape"]>;
type Fields = Parameters<Shape>[0];

/**
 * ChatRoomMCP's addresses of administration, with its fields beside ours. Types are strict, as everywhere: "false" is no boolean.
 *
 * @param scripts  whose digests its state has.
 */
export function adminAliases(scripts: readonly AgentScript[], console: "on" | "lan"): readonly Alias[] {
  return [
    {
      method: "GET",
      path: "/v1/admin/state",
      operation: "instance_state",
      takes: {},
      shape: stateOf(scripts, console),
    },
    { method: "POST", path: "/v1/admin/rooms", operation: "create_room", shape: (made) => ({ ok: true, ...made }) },
    { method: "POST", path: "/v1/admin/tokens", operation: "create_token", shape: withExtraRooms },
    { method: "POST", path: "/v1/admin/tokens/revoke", operation: "revoke_token", shape: withAgent },
    { method: "POST", path: "/v1/admin/tokens/purge", operation: "purge_tokens" },
  ];
}

function stateOf(scripts: readonly AgentScript[], console: string): Shape {
  const digestOf = (name: string) => scripts.find((script) => script.name === name)?.sha256 ?? null;
  return (state, _input, { addresses }) => {
    const server = state["server"] as Fields; // this and the lists below are what the operation's schema says
    return {
      ...state,
      tokens: (state["tokens"] as readonly Fields[]).map((token) => ({
        ...withExtraRooms(token),
        default_room: token["room"],
      })),
      lan_url: addresses.lan,
      public_url: addresses.public,
      server: {
        ...server,
        hook_sha256: digestOf("hook"),
        watch_sha256: digestOf("watch"),
        trust_proxy: (server["trusted_proxies"] as readonly string[]).length > 0,
        ui_enabled: true,
        console,
        max_wait_s: server["max_wait_seconds"],
      },
    };
  };
}

/** The rooms of a token besides its own, apart as the original had them. */
function withExtraRooms(token: Fields): Fields {
  const rooms = token["rooms"] as readonly string[]; // both answers that come here have it
  return { ...token, extra_rooms: rooms.filter((room) => room !== token["room"]) };
}

/** The original revoked by agent alone, and named it. */
function withAgent(revoked: Fields, { agent }: Fields): Fields {
  const [named] = revoked["agents"] as readonly string[]; // by the operation's schema
  return { ...revoked, agent: agent ?? named ?? null };
}
