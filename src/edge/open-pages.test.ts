import { expect, it } from "vitest";
import { ERRORS } from "../core/errors.ts";
import { operations } from "../operations.ts";
import { openSqlite } from "../store/sqlite.ts";
import type { Value } from "../testkit/actor.ts";
import { onEachStore } from "../testkit/hub.ts";
import { answerHealth } from "./health.ts";

it("readiness is refused once the database does not answer", async () => {
  const store = await openSqlite({ path: ":memory:" });
  const ask = async (url: string) => (await answerHealth({ method: "GET", url }, store))?.status;

  expect(await ask("/readyz")).toBe(200);
  await store.close();
  expect([await ask("/readyz"), await ask("/healthz")]).toEqual([503, 200]);
});

onEachStore("pages for everybody", (start) => {
  it("say that the hub serves, and whether its database does", async () => {
    await using hub = await start();
    const get = async (path: string) => {
      const answer = await fetch(hub.url + path);
      return [answer.status, answer.headers.get("content-type"), await answer.text()];
    };

    expect(await get("/health")).toEqual([200, "application/json", '{"status":"ok"}']);
    expect(await get("/healthz")).toEqual([200, "text/plain; charset=utf-8", "ok"]);
    expect(await get("/readyz")).toEqual([200, "text/plain; charset=utf-8", "ready"]);
    const head = await fetch(`${hub.url}/health`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "15", ""]);
  });

  it("describe every operation, with its example, its answer and its refusals", async () => {
    await using hub = await start();
    const document = (await (await fetch(`${hub.url}/openapi.json`)).json()) as Value;

    expect(document["openapi"]).toBe("3.1.0");
    expect(Object.keys(document["paths"])).toEqual(operations.map((operation) => `/api/${operation.name}`));
    const { post } = document["paths"]["/api/claim_task"];
    expect(post.requestBody.content["application/json"].schema.properties).toHaveProperty("task_id");
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(["200", "400", "401", "403", "404", "409"]));
    expect(document["components"].schemas.Error.properties.error.properties.code.enum).toEqual(Object.keys(ERRORS));
  });

  it("show this server's own commands, run one script of the hub and know no token", async () => {
    await using hub = await start({ CREWROOM_PUBLIC_URL: "https://hub.example/x" });
    const page = await fetch(`${hub.url}/`);
    const html = await page.text();
    const style = await fetch(`${hub.url}/setup.css`);

    expect(html).toContain("https://hub.example");
    expect(html).toContain("node crewroom.mjs connect --url https://hub.example/x");
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/assets/copy.js">']);
    expect((await fetch(`${hub.url}/assets/copy.js`)).headers.get("content-type")).toMatch(/^text\/javascript/);
    expect(html).not.toMatch(/crw_agt_|style=| on\w+=/);
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'/,
    );
    expect([style.status, style.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
    expect((await fetch(`${hub.url}/`, { method: "POST" })).status).toBe(405);
  });
});
