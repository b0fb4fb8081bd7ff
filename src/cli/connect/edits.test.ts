import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdit, type Done, type Edit, EditProblem, undoEdit } from "./edits.ts";
import type { Files } from "./files.ts";
import { parseJsonText } from "./json-text.ts";
import { applyPlan, undoAll } from "./record.ts";

/** Files in memory. */
function filesOf(held: Record<string, string>): Files & { readonly held: Map<string, string> } {
  const texts = new Map(Object.entries(held));
  return {
    held: texts,
    read: (file) => texts.get(file),
    put: (file, text) => void (text === undefined ? texts.delete(file) : texts.set(file, text)),
    commit: () => [],
  };
}

const PLAN: readonly Edit[] = [
  { kind: "set", file: "a.json", path: ["env", "URL"], value: "http://hub" },
  { kind: "set", file: "a.json", path: ["env", "TOKEN"], value: "t1" },
  {
    kind: "add",
    file: "a.json",
    path: ["hooks", "Stop"],
    value: { hooks: [{ command: "crewroom-hook" }] },
    like: "crewroom-hook",
  },
  { kind: "add", file: "a.json", path: ["allow"], value: "read" },
  { kind: "block", file: "b.toml", text: "[servers.crewroom]\nurl = 1", like: "[servers.crewroom]" },
  { kind: "file", file: "c.js", text: "// ours" },
];

const values = fc.oneof(fc.string(), fc.constant({}), fc.constant({ URL: "mine" }), fc.constant({ Other: "1" }));
const settings = fc.record(
  {
    env: fc.oneof(fc.constant({}), fc.constant({ URL: "mine" }), fc.constant({ URL: "http://hub", A: "1" })),
    hooks: fc.oneof(fc.constant({}), fc.constant({ Stop: [] }), fc.constant({ Stop: [{ hooks: [] }] })),
    allow: fc.oneof(fc.constant([]), fc.constant(["x"]), fc.constant(["read"])),
    model: values,
  },
  { requiredKeys: [] },
);
const toml = fc.constantFrom("", "model = 1", "model = 1\n", "\n[a]\nb = 2\n");

test("done twice it is as done once, and taken back everything is as it was before", () => {
  fc.assert(
    fc.property(fc.option(settings), fc.constantFrom(undefined, 2, 4, "\t"), fc.option(toml), (json, indent, text) => {
      const before = {
        ...(json !== null && { "a.json": JSON.stringify(json, null, indent) }),
        ...(text !== null && { "b.toml": text }),
      };
      const files = filesOf(before);

      const once = applyPlan(files, PLAN, []);
      const after = Object.fromEntries(files.held);
      const twice = applyPlan(files, PLAN, once.done);
      expect(Object.fromEntries(files.held)).toEqual(after);
      expect(twice.done).toEqual(once.done);
      const left = undoAll(files, twice.done);

      expect(left).toEqual([]);
      const { "a.json": restored, ...others } = Object.fromEntries(files.held);
      const { "a.json": first, ...rest } = before;
      expect(others).toEqual(rest);
      expect(restored && parseJsonText(restored).value).toEqual(first && parseJsonText(first).value);
    }),
    { numRuns: 300 },
  );
});

test("a new value takes the old one's place, and what is not wanted any more goes", () => {
  const files = filesOf({ "a.json": '{"hooks": {"Stop": ["first"]}}\n' });
  const renewed = PLAN.slice(1, 3).map((edit): Edit =>
    edit.kind === "add"
      ? { ...edit, value: { hooks: [{ command: "crewroom-hook --new" }] } }
      : ({ ...edit, value: "t2" } as Edit),
  );

  const { done } = applyPlan(files, PLAN.slice(0, 4), []);
  const again = applyPlan(files, renewed, done);

  expect(JSON.parse(files.held.get("a.json") ?? "")).toEqual({
    hooks: { Stop: ["first", { hooks: [{ command: "crewroom-hook --new" }] }] },
    env: { TOKEN: "t2" },
  });
  expect(undoAll(files, again.done)).toEqual([]);
  expect(files.held.get("a.json")).toBe('{"hooks": {"Stop": ["first"]}}\n');
});

test("what somebody made by hand for the same is left, and so is what somebody changed since", () => {
  const byHand = {
    "a.json": '{"hooks": {"Stop": [{"command": "node my/crewroom-hook.mjs"}]}}',
    "b.toml": "[servers.crewroom]\n",
  };
  const files = filesOf(byHand);
  const kept = applyPlan(files, [PLAN[2], PLAN[4]] as Edit[], []);
  expect([kept.done, kept.byHand, Object.fromEntries(files.held)]).toEqual([[], [PLAN[2], PLAN[4]], byHand]);

  const { done } = applyPlan(files, [PLAN[1]] as Edit[], []);
  files.put("a.json", files.read("a.json")?.replace("t1", "mine"));

  expect(undoAll(files, done)).toEqual(done);
  expect(files.read("a.json")).toContain('"TOKEN": "mine"');
});

const BLOCK = PLAN[4] as Edit;

/** What others put into the file stays, wherever it came to stand; `anew`: as a client writes the file anew. */
test.each([
  ["before the last mark", (text: string) => text.replace("# crewroom: end", "[mine]\nb = 2\n# crewroom: end")],
  [
    "written anew",
    (text: string) => `${text.replace(/^# crewroom: made.*\n/, "").replace(" = ", "  =  ")}[mine]\nb = 2\n`,
  ],
])("lines between marks go alone: others' stand %s", (_, change) => {
  const files = filesOf({});
  const { done } = applyPlan(files, [BLOCK], []);
  files.put("b.toml", change(files.read("b.toml") ?? ""));
  const theirs = files.read("b.toml");

  const again = applyPlan(files, [BLOCK], done);
  expect([files.read("b.toml"), again.done, again.byHand]).toEqual([theirs, done, []]);
  const moved = applyPlan(files, [{ ...BLOCK, text: "[servers.crewroom]\nurl = 2" } as Edit], again.done);
  expect(files.read("b.toml")).toContain("[mine]\nb = 2\n");
  expect(files.read("b.toml")?.match(/servers.crewroom/g)).toHaveLength(1);

  expect(undoAll(files, moved.done)).toEqual([]);
  expect(files.read("b.toml")).toBe("[mine]\nb = 2\n");
});

test("a table of ours that somebody added to is left whole", () => {
  const files = filesOf({});
  const { done } = applyPlan(files, [BLOCK], []);
  files.put("b.toml", files.read("b.toml")?.replace("url = 1", "url = 1\ntimeout = 30"));
  const theirs = files.read("b.toml");

  expect(undoAll(files, done)).toEqual(done);
  expect(files.read("b.toml")).toBe(theirs);
});

test("a file that its client could not read is named with its line, and stays as it is", () => {
  const files = filesOf({ "a.json": '{"env": {\n"A" 1}}' });
  const done: Done = { kind: "set", file: "a.json", path: ["env", "A"], value: 1, depth: 1 };

  expect(() => applyEdit(files, PLAN[0] as Edit, undefined)).toThrow(
    new EditProblem("a.json cannot be changed: it is not JSON from line 2 on"),
  );
  expect(() => undoEdit(files, done)).toThrow(EditProblem);
  expect(() => applyEdit(filesOf({ "a.json": '{"allow": {}}' }), PLAN[3] as Edit, undefined)).toThrow(
    "allow is no list",
  );
});
