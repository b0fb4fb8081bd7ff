import fc from "fast-check";
import { expect, test } from "vitest";
import { nextPath } from "./next-path.ts";

test.each(["/approve/apr_1", "/password?next=%2Fapprove", "/oauth/login/x?a=b#c", "/"])("%s is gone on to", (path) => {
  expect(nextPath(path, "/home")).toBe(path);
});

test.each([
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https://evil.example/approve",
  "javascript:alert(1)",
  "approve",
  "/\t/evil.example",
  "/\n/evil.example",
  " /approve",
  "/a\r\nSet-Cookie: x=y",
  "/é",
  "",
  undefined,
  null,
  `/${"x".repeat(2_000)}`,
])("%j leads home", (path) => {
  expect(nextPath(path, "/home")).toBe("/home");
});

test("Wherever it leads, it is on this host.", () => {
  const piece = fc.constantFrom("/", "\\", ".", "..", "@", ":", "evil.example", "http:", "%2f", "\t", "?", "#", "a");
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join("")),
      (asked) => {
        expect(new URL(nextPath(asked, "/home"), "https://hub.example/login").origin).toBe("https://hub.example");
      },
    ),
  );
});
