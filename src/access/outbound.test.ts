import type { LookupAddress } from "node:dns";
import { createServer, request as requestHttp, type RequestListener } from "node:http";
import type { RequestOptions } from "node:https";
import { type AddressInfo, isIP, isIPv6 } from "node:net";
import { describe, expect, it } from "vitest";
import { isPublicAddress, openOutbound } from "./outbound.ts";

const PUBLIC = "93.184.215.14";
const BOUNDS = { bytes: 5_120, ms: 2_000 };
const at = (address: string): LookupAddress => ({ address, family: isIPv6(address) ? 6 : 4 });

/** A site outside, whose name resolves to these addresses one answer after the other; what is asked of it lands here. */
async function openSite(answer: RequestListener, ...answers: (readonly string[])[]) {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const asked: { host: string; connectedTo: string[]; path: string }[] = [];
  const resolved: string[] = [];
  const outbound = openOutbound({
    async resolve(host) {
      resolved.push(host);
      if (isIP(host.replace(/^\[|\]$/g, "")) !== 0) return [at(host)];
      return (answers.at(resolved.length - 1) ?? answers.at(-1) ?? [PUBLIC]).map(at);
    },
    request(options: RequestOptions, answered) {
      const connectedTo: string[] = [];
      options.lookup?.("whatever", {}, (_, found) => typeof found === "string" && connectedTo.push(found));
      asked.push({ host: String(options.host), connectedTo, path: String(options.path) });
      const { lookup: _, ...others } = options;
      return requestHttp({ ...others, host: "127.0.0.1", port, agent: false }, answered);
    },
  });
  return { outbound, asked, resolved, [Symbol.asyncDispose]: async () => void server.close() };
}

const json: RequestListener = (_, answer) => void answer.end('{"a":1}');
const problem = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error: Error) => error.message,
  );

describe("the way out", () => {
  it("fetches from the address that the name was resolved to, once", async () => {
    await using site = await openSite(json, [PUBLIC], ["127.0.0.1"]);

    const body = await site.outbound.get(new URL("https://app.example/client.json?v=1"), BOUNDS);

    expect(body.toString()).toBe('{"a":1}');
    expect(site.resolved).toEqual(["app.example"]);
    expect(site.asked).toEqual([{ host: "app.example", connectedTo: [PUBLIC], path: "/client.json?v=1" }]);
  });

  it("asks nothing of what is not on the public internet, in forty spellings", async () => {
    await using site = await openSite(json, ["127.0.0.1"]);
    const spellings = [
      "https://127.0.0.1/x",
      "https://127.1/x",
      "https://127.0.1/x",
      "https://2130706433/x",
      "https://0x7f000001/x",
      "https://0x7f.0x0.0x0.0x1/x",
      "https://017700000001/x",
      "https://0177.0.0.1/x",
      "https://127.0.0.1./x",
      "https://0/x",
      "https://0.0.0.0/x",
      "https://10.0.0.1/x",
      "https://172.16.0.1/x",
      "https://192.168.1.1/x",
      "https://169.254.169.254/latest/meta-data",
      "https://100.64.0.1/x",
      "https://224.0.0.1/x",
      "https://255.255.255.255/x",
      "https://[::1]/x",
      "https://[::]/x",
      "https://[::ffff:127.0.0.1]/x",
      "https://[::ffff:7f00:1]/x",
      "https://[0:0:0:0:0:ffff:7f00:1]/x",
      "https://[64:ff9b::7f00:1]/x",
      "https://[fe80::1]/x",
      "https://[fc00::1]/x",
      "https://[ff02::1]/x",
      "https://[2002:7f00:1::]/x",
      `https://${PUBLIC}/x`,
      "https://１２７.０.０.１/x",
      "https://①②⑦.⓪.⓪.①/x",
      "https://localhost/x",
      "https://LOCALHOST./x",
      "https://localhost.localdomain/x",
      "https://internal/x",
      "https://rebinds.example/x",
    ];
    const odd = [
      "https://app.example@127.0.0.1/x",
      "https://user:pass@app.example/x",
      "https://user@app.example/x",
      "https://app.example:8443/x",
      "http://app.example/x",
      "ftp://app.example/x",
    ];
    await using outside = await openSite(json, [PUBLIC]);

    for (const spelling of spellings) {
      const told = await problem(site.outbound.get(new URL(spelling), BOUNDS));
      expect(told, spelling).toMatch(/^its host/);
    }
    for (const spelling of odd) {
      const told = await problem(outside.outbound.get(new URL(spelling), BOUNDS));
      expect(told, spelling).toMatch(/^its address|^it must be https/);
    }
    expect(spellings.length + odd.length).toBeGreaterThanOrEqual(40);
    expect([...site.asked, ...outside.asked]).toEqual([]);
  });

  it("asks nothing of a name that has one private address among others, or none", async () => {
    for (const answers of [[PUBLIC, "10.0.0.1"], ["::1", PUBLIC], ["fd00::1"], []]) {
      await using site = await openSite(json, answers);
      expect(await problem(site.outbound.get(new URL("https://app.example/x"), BOUNDS))).toBe(
        "its host has no public address",
      );
      expect(site.asked).toEqual([]);
    }
  });

  it("takes one small answer, as it is, in time", async () => {
    for (const [answer, told] of [
      [(_, out) => void out.writeHead(302, { location: "https://127.0.0.1/" }).end(), "it was not answered with 200"],
      [(_, out) => void out.writeHead(404).end("{}"), "it was not answered with 200"],
      [(_, out) => void out.end("x".repeat(5_121)), "it is larger than 5120 bytes"],
      [(_, out) => void out.writeHead(200, { "content-encoding": "gzip" }).end("x"), "it is encoded"],
      [(_, out) => void out.write("{"), "it took too long"],
      [() => undefined, "it took too long"],
      [({ socket }) => void socket.destroy(), "its host could not be reached"],
    ] as [RequestListener, string][]) {
      await using site = await openSite(answer);
      const work = site.outbound.get(new URL("https://app.example/x"), { bytes: 5_120, ms: 300 });
      expect(await problem(work), told).toBe(told);
      expect(site.asked).toHaveLength(1);
    }
    await using site = await openSite((_, out) => void out.end("x".repeat(5_120)));
    expect(await site.outbound.get(new URL("https://app.example/x"), BOUNDS)).toHaveLength(5_120);
  });

  it("waits no longer for a name server", async () => {
    const outbound = openOutbound({ resolve: () => new Promise(() => undefined) });

    expect(await problem(outbound.get(new URL("https://app.example/x"), { bytes: 1, ms: 50 }))).toBe(
      "it took too long",
    );
  });

  it("sends to a public address alone, by the name's answer of that moment, and follows nothing", async () => {
    const sent = { headers: { "content-type": "text/plain" }, body: "x" };
    const statuses = [204, 302, 500];
    await using site = await openSite(
      (_, out) => void out.writeHead(statuses.shift() ?? 200, { location: "https://elsewhere.example/" }).end(),
      [PUBLIC],
      [PUBLIC],
      [PUBLIC],
      [PUBLIC, "127.0.0.1"],
      ["10.0.0.1"],
    );
    const send = (url: string) => problem(site.outbound.post(new URL(url), sent, 2_000));

    const told = [];
    for (let attempt = 0; attempt < 5; attempt++) told.push(await send("https://hook.example/x"));
    told.push(
      await send("https://127.0.0.1/x"),
      await send("http://hook.example/x"),
      await send("https://hook.example:8443/x"),
    );

    expect(told).toEqual([
      "none",
      "it was answered with 302",
      "it was answered with 500",
      "its host has no public address",
      "its host has no public address",
      "its host must be a name",
      "it must be https on its usual port",
      "it must be https on its usual port",
    ]);
    expect(site.asked.map(({ host, connectedTo }) => [host, ...connectedTo])).toEqual(
      [1, 2, 3].map(() => ["hook.example", PUBLIC]),
    );
  });

  it("knows the addresses that are nobody's in public", () => {
    for (const address of [PUBLIC, "1.1.1.1", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450::1"])
      expect(isPublicAddress(address), address).toBe(true);
    for (const address of [
      "0.1.2.3",
      "10.255.255.255",
      "100.127.255.255",
      "127.255.255.254",
      "169.254.169.254",
      "172.31.255.255",
      "192.0.0.8",
      "192.0.2.1",
      "192.88.99.1",
      "192.168.255.255",
      "198.19.0.1",
      "198.51.100.1",
      "203.0.113.1",
      "239.1.1.1",
      "240.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "::ffff:1.1.1.1",
      "64:ff9b::1.1.1.1",
      "100::1",
      "2001::1",
      "2001:db8::1",
      "2002:101:101::1",
      "3fff::1",
      "fc00::1",
      "fe80::1",
      "ff02::1",
      "no address",
    ])
      expect(isPublicAddress(address), address).toBe(false);
  });
});
