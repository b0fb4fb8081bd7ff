import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HubError } from "../core/errors.ts";
import { parseJsonObject, readJsonBody } from "./json-body.ts";

const parse = (text: string) => parseJsonObject(new TextEncoder().encode(text));

describe("parseJsonObject", () => {
  it("gives what was sent, with every kind of string in it", () => {
    const value = { a: 'colons: {"in": [strings]}', b: ["\\", '\\"', { c: null, a: 1.5 }], "": {}, ключ: "\u2028\r\n" };

    expect(parse(JSON.stringify(value))).toEqual(value);
    expect(parse(JSON.stringify(value, undefined, 2))).toEqual(value);
  });

  it.each([
    ["nothing", ""],
    ["words", "hello"],
    ["a truncated object", '{"a": 1'],
    ["a truncated string", '{"a": "b'],
    ["something behind the object", '{"a": 1} x'],
    ["two objects", '{"a": 1}{"a": 1}'],
    ["a list", "[]"],
    ["a string", '"a"'],
    ["a number", "1"],
    ["null", "null"],
    ["NaN", '{"a": NaN}'],
    ["a name that comes twice", '{"a": 1, "a": 1}'],
    ["a name that comes twice, once escaped", '{"a": 1, "\\u0061": 2}'],
    ["a name that comes twice deep inside", '{"a": [{"b": {"c": 1, "c": 1}}]}'],
    ["__proto__", '{"__proto__": {"polluted": 1}}'],
    ["__proto__, escaped", '{"__pro\\u0074o__": 1}'],
    ["constructor inside", '{"a": [{"constructor": 1}]}'],
    ["prototype", '{"prototype": 1}'],
    ["a byte order mark", "\uFEFF{}"],
  ])("refuses %s", (_, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "not_json" }));
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it.each([
    ["a stray byte", [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]],
    ["an overlong slash", [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]],
    ["UTF-16", [...Buffer.from('{"a":1}', "utf16le")]],
  ])("refuses bytes that are not UTF-8: %s", (_, sent) => {
    expect(() => parseJsonObject(Uint8Array.from(sent))).toThrow(expect.objectContaining({ code: "not_json" }));
  });

  it("allows nesting up to the limit and refuses deeper before it is parsed", () => {
    const nested = (depth: number) => '{"a":'.repeat(depth - 1) + "{}" + "}".repeat(depth - 1);

    expect(parse(nested(100))).toHaveProperty("a");
    expect(() => parse(nested(101))).toThrow("more than 100 deep");
    expect(() => parse("[".repeat(1_000_000))).toThrow("more than 100 deep");
  });

  it("counts a list before it reads it, and nothing but its own items", () => {
    const list = (items: number, item: string) => `\n [${Array(items).fill(item).join(",")}`;

    for (const item of ["1", "[]", '"a"', '{"a":[1,2],"b":",,"}']) {
      expect(() => parse(`${list(100, item)}]`), item).toThrow("it is something else");
      // What follows is no JSON: it was not looked at.
      expect(() => parse(list(101, item)), item).toThrow("is a list of more than 100 messages");
    }
    expect(parse(`{"a":${list(101, "1")}]}`)).toHaveProperty("a.length", 101);
    const object = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`n${n}`, n]));
    expect(parse(JSON.stringify(object))).toEqual(object);
    expect(() => parse(`[${list(101, "1")}],2]`)).toThrow("it is something else");
  });

  it("never repeats what was sent", () => {
    expect(() => parse('{"secret-word": oops')).toThrow(/^(?!.*secret).*$/);
  });
});

describe("readJsonBody", () => {
  const LIMIT = 12;
  const server = createServer((incoming, outgoing) => {
    readJsonBody(incoming, LIMIT).then(
      () => outgoing.end("accepted"),
      (error: HubError) => outgoing.end(error.code),
    );
  });
  beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
  afterAll(() => server.closeAllConnections());

  async function post(
    body: string | ReadableStream,
    headers: Record<string, string> = { "content-type": "application/json" },
  ): Promise<string> {
    const { port } = server.address() as AddressInfo; // it listens
    const streaming = body instanceof ReadableStream ? { duplex: "half" as const } : {};
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers, ...streaming });
    return answer.text();
  }

  it.each(["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'])(
    "takes %s",
    async (type) => {
      expect(await post("{}", { "content-type": type })).toBe("accepted");
    },
  );

  it.each<[IncomingHttpHeaders]>([
    [{ "content-type": "text/plain" }],
    [{ "content-type": "application/x-www-form-urlencoded" }],
    [{ "content-type": "application/json; charset=utf-16" }],
    [{ "content-type": "application/jsonp" }],
    [{ "content-type": "application/json", "content-encoding": "gzip" }],
    [{ "content-type": "application/json", "content-encoding": "identity" }],
  ])("refuses the type %o", async (headers) => {
    expect(await post("{}", headers as Record<string, string>)).toBe("not_json_type");
  });

  it("takes a body of the limit's size and refuses one byte more, announced or not", async () => {
    expect(await post('{"a":"1234"}')).toBe("accepted");
    expect(await post('{"a":"1234"} ')).toBe("too_large");
    expect(await post(new Blob(['{"a":"1234"}']).stream())).toBe("accepted");
    expect(await post(new Blob(['{"a":"1234"} ']).stream())).toBe("too_large");
  });

  it("answers a body that never ends", async () => {
    const endless = new ReadableStream({ pull: (control) => control.enqueue(new Uint8Array(1_000)) });

    expect(await post(endless)).toBe("too_large");
  });
});
