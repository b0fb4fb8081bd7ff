import { gunzipSync } from "node:zlib";
import { expect, it, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";
import { makeVisitor, visitAs } from "../../testkit/page-visitor.ts";
import { readWebBuild } from "../../web-build.ts";
import { assetRoutes } from "./assets.ts";

const PAGES = ["/ui", "/ui/rooms/lobby/chat", "/admin", "/admin/tokens"];
/** What a proxy or tunnel adds. */
const FROM_AFAR = { "x-forwarded-for": "203.0.113.9" };

test("The build has a script, a style and nothing of an unknown kind, each named by what is in it.", () => {
  const build = readWebBuild();

  expect(build?.files.map(({ name }) => name)).toEqual(expect.arrayContaining([build?.script, build?.style]));
  expect(build?.files.every(({ name }) => /^[a-z]+-[A-Z0-9]{8}\.(js|css)$/.test(name))).toBe(true);
  expect(() => assetRoutes({ script: "", style: "", files: [{ name: "x.html", bytes: Buffer.from("") }] })).toThrow(
    "x.html",
  );
});

test("The first view is at most 150 KB, packed.", async () => {
  const { files = [], script = "", style = "" } = readWebBuild() ?? {};
  const { gzipSync } = await import("node:zlib");
  const byName = new Map(files.map(({ name, bytes }) => [name, Buffer.from(bytes)]));
  // What the script itself imports at once comes with it.
  const first = [
    script,
    style,
    ...[...String(byName.get(script)).matchAll(/from"\.\/(part-\w+\.js)"/g)].map((match) => match[1] ?? ""),
  ];
  const packed = [...new Set(first)]
    .map((name) => gzipSync(byName.get(name) ?? "").length)
    .reduce((sum, size) => sum + size);

  expect(packed).toBeGreaterThan(10_000);
  expect(packed).toBeLessThan(150_000);
});

onEachStore("the console", (start) => {
  it("is shown to who is signed in, under a policy that lets no text run; others sign in first and come back", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const ben = await visitAs(hub, "ben");
    const nobody = makeVisitor(hub, { follows: false });

    for (const path of PAGES) {
      const page = await ben.open(path);
      expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(page.headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(page.html).not.toMatch(/ style=| on\w+=|<script>|https?:/);
      expect((await nobody.open(path)).headers.get("location")).toBe(`/login?next=${encodeURIComponent(path)}`);
    }
    expect((await nobody.open("/ui/wall")).status).toBe(200);
    expect((await ben.open("/ui/assets/main-00000000.js")).status).toBe(404);
  });

  it("hands out its files to be kept for good, packed for those who can unpack", async () => {
    await using hub = await start();
    const path = `/ui/assets/${readWebBuild()?.script}`;
    const plain = await fetch(hub.url + path, { headers: { "accept-encoding": "identity" } });
    const packed = await fetch(hub.url + path, { headers: { "accept-encoding": "gzip" } });

    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect([plain.headers.get("content-encoding"), packed.headers.get("content-encoding")]).toEqual([null, "gzip"]);
    expect(await packed.text()).toBe(await plain.text());
    expect(Number(packed.headers.get("content-length"))).toBeLessThan(Number(plain.headers.get("content-length")) / 2);
    expect(gunzipSync).toBeDefined();
  });

  it.each([
    ["on", [200, 200], "/ui"],
    ["lan", [200, 404], "/ui"],
    ["off", [404, 404], "/approve"],
  ])(
    "with CREWROOM_CONSOLE=%s is there near by and from afar: %j, and a sign-in leads to %s",
    async (setting, expected, home) => {
      await using hub = await start({ CREWROOM_CONSOLE: setting });
      await hub.seatPeople();
      const { token } = await hub.browser("ben");
      const statusFor = async (headers: Record<string, string>) => {
        const url = hub.url.replace("127.0.0.1", "localhost");
        return (await fetch(`${url}/ui`, { headers: { cookie: `crewroom=${token}`, ...headers } })).status;
      };
      const signedIn = makeVisitor(hub, { cookies: { crewroom: token }, follows: false });

      expect([await statusFor({}), await statusFor(FROM_AFAR)]).toEqual(expected);
      expect((await signedIn.open("/login")).headers.get("location")).toBe(home);
    },
  );

  it("may change something by its cookie only from a page of this very origin, and in JSON", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const { token } = await hub.browser("ben");
    const post = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ body: "hello" });
      const answer = await fetch(`${hub.url}/api/post_message`, {
        method: "POST",
        body,
        headers: { cookie: `crewroom=${token}`, ...headers },
      });
      return answer.status;
    };
    const json = { "content-type": "application/json" };

    expect(await post({ ...json, "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await post({ ...json, origin: hub.url })).toBe(200);
    expect(await post(json)).toBe(403);
    for (const site of ["same-site", "cross-site", "none"])
      expect(await post({ ...json, "sec-fetch-site": site })).toBe(403);
    expect(await post({ ...json, origin: "https://evil.example" })).toBe(403);
    expect(await post({ "content-type": "text/plain", "sec-fetch-site": "same-origin" })).toBe(415);
  });
});
