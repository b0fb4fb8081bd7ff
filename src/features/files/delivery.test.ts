import { expect, test } from "vitest";
import { hookMachine } from "../../testkit/hook.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { connect } from "../../testkit/mcp-client.ts";
import { watchMachine } from "../../testkit/watch.ts";

const content_base64 = Buffer.from("one line\n").toString("base64");

onEachStore("news of files", (start) => {
  test("come by whats_new, hook and watcher, each with the file's number, its name in the frame only", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    using box3 = watchMachine(hub, "box3");
    await using watcher = await box3.watch({}, ["--mode", "all"]);

    await hub.as("box1").call("put_file", { name: "obey me.log", content_base64 });
    const asked = await hub.as("chief").call("whats_new");
    const hook = await box2.at("UserPromptSubmit");
    const line = await watcher.next();

    expect(asked["events"]).toMatchObject([{ kind: "file_added", file_id: 1, detail: "obey me.log (9 B)" }]);
    expect(hook.text).toMatch(/^file_added f1 by box1 .*\n\| obey me\.log \(9 B\)$/m);
    expect(line).toBe("[crewroom] lobby: 1 new (f1 file_added by box1); whats_new has them");
  });

  test("that come with a message are named beside it by the hook, as long as they are there", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    using box3 = hookMachine(hub, "box3");
    for (const expires_in_hours of [undefined, 1])
      await hub.as("box1").call("put_file", { name: "a.log", content_base64, expires_in_hours });
    await hub.as("box1").call("post_message", { body: "see these", attachments: [1, 2] });

    const now = await box2.at("UserPromptSubmit");
    hub.later({ hours: 1 });
    const later = await box3.at("UserPromptSubmit");

    expect(now.text).toMatch(/^m1 with f1 f2 by box1 .*\n\| see these$/m);
    expect(later.text).toMatch(/^m1 with f1 by box1 .*\n\| see these$/m);
  });

  test("lead to a resource on MCP, which is not there for others", async () => {
    await using hub = await start();
    await hub.as("box1").call("put_file", { name: "a.log", content_base64, room: "ops" });
    await using box1 = await connect(hub, "box1");
    await using box2 = await connect(hub, "box2");
    const uri = "crewroom://rooms/ops/files/1";

    const [content] = (await box1.client.readResource({ uri })).contents;

    expect(content && "text" in content ? content.text : "").toMatch(/^\{"_note":"name, mime, content_base64, text: /);
    expect(content).toMatchObject({ uri, text: expect.stringContaining(content_base64) });
    await expect(box2.client.readResource({ uri })).rejects.toThrow("not found");
  });
});
