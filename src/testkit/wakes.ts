import type { Value } from "./actor.ts";
import type { TestHub } from "./hub.ts";
import { followStream, type Frame } from "./stream.ts";

/** What a watcher of a session asks the hub. */
export async function askToWake(
  { url, token }: Pick<TestHub, "url" | "token">,
  handle: string,
  input: Value,
  { session = "s1", path = "watch" } = {},
): Promise<Value> {
  const headers = {
    authorization: `Bearer ${token(handle)}`,
    "content-type": "application/json",
    "x-crewroom-session": session,
    "x-crewroom-path": path,
  };
  const response = await fetch(`${url}/api/request_wake`, { method: "POST", headers, body: JSON.stringify(input) });
  return (await response.json()) as Value; // our own API answers objects
}

/** The id of the newest event of a room. */
export async function latestEvent(hub: TestHub, handle = "box1"): Promise<number> {
  return (await hub.as(handle).call("read_events", { limit: 1 }))["latest_event_id"] as number; // the operation's own answer
}

/** An agent's session that does what it is told: each time it is woken it acts. It is not to be waited for. */
export async function obedient(hub: TestHub, handle: string, act: () => Promise<unknown>): Promise<AsyncDisposable> {
  const stream = await followStream(hub, handle, "?after=now");
  const run = async () => {
    for (;;) {
      const { data } = (await stream.nextOf(["activity", "question"])) satisfies Frame;
      if (!data["for_you"]) continue;
      const { wake } = await askToWake(hub, handle, { events: [data["id"]] });
      if (wake) await act();
    }
  };
  const running = run().catch(() => undefined); // the stream ends with the test
  return {
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]();
      await running;
    },
  };
}
