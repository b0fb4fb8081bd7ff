import fc from "fast-check";
import { expect, test } from "vitest";
import { appendIn, JsonTextError, nodeAt, parseJsonText, removeIn, setIn } from "./json-text.ts";

const OWN = `{
    // by hand
    "model": "opus",   "env": { "A": "1" },
    "hooks": {"Stop": [ {"hooks": []} ], },
    "list": [1,
      2]
}
`;

const key = fc.constantFrom("a", "b", "env", "hooks", 'q"', "é\n", "");
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const json = fc.object({ key, values: [leaf], maxDepth: 3, withNullPrototype: false });
const layouts = fc.constantFrom<(value: object) => string>(
  (value) => JSON.stringify(value),
  (value) => `${JSON.stringify(value, null, 2)}\n`,
  (value) => JSON.stringify(value, null, "\t"),
  (value) => `\ufeff// ours\n${JSON.stringify(value, null, 4).replaceAll("\n", "\r\n")} /* end */`,
);

test("setting, adding and removing leave every other letter as it was", () => {
  const set = setIn(OWN, ["env", "B"], "2");
  const more = appendIn(appendIn(set, ["hooks", "Stop"], { hooks: [{ type: "command" }] }), ["list"], 3);
  const made = setIn(more, ["permissions", "allow"], ["x"]);

  expect(made).toBe(`{
    // by hand
    "model": "opus",   "env": { "A": "1", "B": "2" },
    "hooks": {"Stop": [ {"hooks": []}, {
        "hooks": [
            {
                "type": "command"
            }
        ]
    } ], },
    "list": [1,
      2, 3],
    "permissions": {
        "allow": [
            "x"
        ]
    }
}
`);
  const back = removeIn(removeIn(removeIn(removeIn(made, ["permissions"]), ["list", 2]), ["hooks", "Stop", 1]), [
    "env",
    "B",
  ]);
  expect(back).toBe(OWN);
});

test("whatever the file holds and however it is laid out: it reads as if the value had been set, and taken out again it is the old text", () => {
  fc.assert(
    fc.property(json, layouts, fc.array(key, { minLength: 1, maxLength: 3 }), json, (held, layOut, path, value) => {
      const text = layOut(held);
      const isObject = (one: unknown) => typeof one === "object" && one !== null && !Array.isArray(one);
      const way = path.map((_, depth) => nodeAt(parseJsonText(text), path.slice(0, depth)));
      const blocked = way.some((node) => node && !isObject(node.value));
      if (blocked) {
        expect(() => setIn(text, path, value)).toThrow(JsonTextError);
        return;
      }

      const set = setIn(text, path, value);
      expect(nodeAt(parseJsonText(set), path)?.value).toEqual(value);
      const existed = way.filter((node) => node).length;
      if (nodeAt(parseJsonText(text), path)) return;
      const back = removeIn(set, path.slice(0, existed));
      expect(parseJsonText(back).value).toEqual(held);
      // An object that was empty may have been empty in another way.
      if (Object.keys(way.findLast((node) => node)?.value ?? {}).length > 0) expect(back).toBe(text);
    }),
    { numRuns: 400 },
  );
});

test("what is no JSON is told with its line, and nothing is made of it", () => {
  const wrong = ["", "{", '{"a" 1}', "{'a': 1}", '{"a": 01x}', '{"a": 1} x', '{"a": [1, }', "{\n\n  a: 1\n}"];

  for (const text of wrong) expect(() => setIn(text, ["b"], 1)).toThrow(JsonTextError);
  expect(() => parseJsonText("{\n\n  a: 1\n}")).toThrow("it is not JSON from line 3 on");
  expect(() => setIn('{"a": []}', ["a", "b"], 1)).toThrow("a is no object");
  expect(() => appendIn('{"a": {}}', ["a"], 1)).toThrow("a is no list");
});
