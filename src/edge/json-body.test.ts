import { describe, expect, it } from "vitest";
import type { HubError } from "../core/errors.ts";
import { parseJsonObject, readJsonBody } from "./json-body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseJsonObject(bytes(text));

function request(body: string | ReadableStream, headers: Record<string, string> = { "content-type": "application/json" }) {
  return new Request("http://hub.test/api/x", { method: "POST", body, headers, duplex: "half" });
}
function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "accepted",
    (error: HubError) => error.code,
  );
}

describe("parseJsonObject", () => {
  it("gives what was sent, with every kind of string in it", () => {
    const value = { a: 'colons: {"in": [strings]}', b: ["\\", '\\"', { c: null, a: 1.5 }], "": {}, "ключ": "\u2028\r\n" };

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

  it("never repeats what was sent", () => {
    expect(() => parse('{"secret-word": oops')).toThrow(/^(?!.*secret).*$/);
  });
});

describe("readJsonBody", () => {
  it.each(["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'])("takes %s", async (type) => {
    expect(await readJsonBody(request("{}", { "content-type": type }), 100)).toEqual({});
  });

  it.each([
    [{ "content-type": "text/plain" }],
    [{ "content-type": "application/x-www-form-urlencoded" }],
    [{ "content-type": "application/json; charset=utf-16" }],
    [{ "content-type": "application/jsonp" }],
    [{ "content-type": "application/json", "content-encoding": "gzip" }],
    [{ "content-type": "application/json", "content-encoding": "identity" }],
  ])("refuses the type %o", async (headers) => {
    expect(await codeOf(readJsonBody(request("{}", headers), 100))).toBe("not_json_type");
  });

  it("takes a body of the limit's size and refuses one byte more, announced or not", async () => {
    const fits = '{"a":"1234"}';
    const announced = { "content-type": "application/json", "content-length": "13" };

    expect(await codeOf(readJsonBody(request(fits), fits.length))).toBe("accepted");
    expect(await codeOf(readJsonBody(request(`${fits} `), fits.length))).toBe("too_large");
    expect(await codeOf(readJsonBody(request(`${fits} `, announced), fits.length))).toBe("too_large");
  });

  it("stops reading once the limit is passed", async () => {
    let pulled = 0;
    const endless = new ReadableStream({ pull: (control) => control.enqueue(new Uint8Array(++pulled && 1_000)) });

    expect(await codeOf(readJsonBody(request(endless), 10_000))).toBe("too_large");
    expect(pulled).toBeLessThan(15);
  });
});
