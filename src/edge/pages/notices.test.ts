import { expect, it } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";
import { makeVisitor, visitAs } from "../../testkit/page-visitor.ts";

onEachStore("the page of notices", (start) => {
  it("adds and removes how a person is told, and says why an address will not do", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = await visitAs(hub, "ben");

    await ben.open("/notices");
    const refused = await ben.submit("/notices", { channel: "ntfy", address: "http://127.0.0.1/x", label: "" });
    await ben.open("/notices");
    const odd = await ben.submit("/notices", { channel: "pigeon", address: "https://ntfy.example/x", label: "" });
    await ben.open("/notices");
    const added = await ben.submit("/notices", {
      channel: "ntfy",
      address: "https://ntfy.example/hidden-topic",
      label: "<b>phone</b>",
    });
    const removed = await ben.submit("/notices/remove");

    expect([refused.status, odd.status, added.status, added.path]).toEqual([400, 400, 200, "/notices"]);
    expect([refused.html.includes('role="alert"'), odd.html.includes('role="alert"')]).toEqual([true, true]);
    expect(added.text).toContain("ntfy: <b>phone</b>");
    expect(added.html).not.toContain("<b>phone");
    expect(added.html).not.toContain("hidden-topic");
    expect(removed.text).not.toContain("ntfy.example");
    expect((await hub.as("ben").call("list_notices"))["count"]).toBe(0);
  });

  it("is of use without script, which only the browser's own push needs", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = await visitAs(hub, "ben");

    const page = await ben.open("/notices");
    const scripts = await Promise.all(
      ["/assets/notices.js", "/assets/notices-worker.js"].map((path) => fetch(`${hub.url}${path}`)),
    );

    expect(page.html).toMatch(/<form class="card"[^>]* data-push="[\w-]{87}" hidden/);
    expect(scripts.map(({ status, headers }) => [status, headers.get("content-type")])).toEqual([
      [200, "text/javascript; charset=utf-8"],
      [200, "text/javascript; charset=utf-8"],
    ]);
  });

  it("leads from a notice to where its person begins, by way of the sign-in", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = await visitAs(hub, "ben");

    const waiting = await ben.open("/waiting");
    const stranger = await makeVisitor(hub).open("/waiting");

    expect(["/ui", "/approve"]).toContain(waiting.path);
    expect(stranger.path).toBe("/login?next=%2Fwaiting");
  });
});
