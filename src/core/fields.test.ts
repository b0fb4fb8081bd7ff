import { expect, test } from "vitest";
import { z } from "zod";
import { operations } from "../operations.ts";
import { parseInput } from "./fields.ts";
import type { Operation } from "./operation.ts";

/** Each operation with each field that it cannot do without. */
const REQUIRED = (operations as readonly Operation[]).flatMap(({ name, input, example }) => {
  const { required = [] } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return required.map((field) => [name, field, input, example] as const);
});

test.each(REQUIRED)("%s without %s says that it is required, given as null too", (_, field, input, example) => {
  const { [field]: _left, ...rest } = example;

  for (const given of [rest, { ...rest, [field]: null }])
    expect(() => parseInput(input, given)).toThrow(expect.objectContaining({ message: `${field}: is required.` }));
});

test("what lacks inside a field is required too; what is of another kind, and what a rule of ours says, is told as it is", () => {
  const schema = z
    .object({ link: z.object({ url: z.string() }), kind: z.enum(["a", "b"]), either: z.string().optional() })
    .refine(({ either }) => either !== undefined, { path: ["either"], message: "goes with nothing else" });

  const problems = [
    { link: {}, kind: "a" },
    { link: { url: "x" } },
    { link: { url: 5 }, kind: "a" },
    { link: { url: "x" }, kind: "c" },
    { link: { url: "x" }, kind: "a" },
  ].map((given) => {
    try {
      return parseInput(schema, given);
    } catch (error) {
      return (error as Error).message; // parseInput throws errors
    }
  });

  expect(problems).toEqual([
    "link.url: is required.",
    "kind: is required.",
    "link.url: invalid input: expected string, received number.",
    'kind: invalid option: expected one of "a"|"b".',
    "either: goes with nothing else.",
  ]);
});
