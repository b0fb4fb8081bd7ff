import { expect, test } from "vitest";
import { mentionsIn } from "./mentions.ts";

test.each([
  ["@box1 please look", ["box1"]],
  ["please look, @Box1.", ["box1"]],
  ["(@box1) and @box-2, @box_3!", ["box1", "box-2", "box_3"]],
  ["@box1-api is not box1", ["box1-api"]],
  ["ask @box1- or so", ["box1-", "box1"]],
  ["@box1: done", ["box1"]],
  ["¿@box1?", ["box1"]],
])("mentionsIn finds in %j the handles %j", (body, handles) => {
  expect(mentionsIn(body)).toEqual({ handles, room: false });
});

test.each([
  "mail box1@example.com",
  "mail @box1.example.com about it",
  "see https://host/@box1 there",
  "run `ping @box1` first",
  "```\n@box1\n```",
  "```\n@box1 in a block that never ends",
  "> @box1 said so\nno",
  "a@box1",
  "@@box1",
  "git@box1:repo",
  "@box1/package",
  "é@box1",
])("mentionsIn finds nobody in %j", (body) => {
  expect(mentionsIn(body)).toEqual({ handles: [], room: false });
});

test.each(["@room stand-up", "hello @all"])("mentionsIn finds the whole room in %j", (body) => {
  expect(mentionsIn(body)).toEqual({ handles: [], room: true });
});

test("mentionsIn takes time in proportion to the text", () => {
  const hostile = ["`", "@", "> ", "```", "@a-"].map((piece) => piece.repeat(16_384 / piece.length)).join("\n");

  expect(mentionsIn(hostile).handles.length).toBeLessThan(10);
});
