import { expect, it } from "vitest";
import { makeToken } from "../access/tokens.ts";
import { logCall, type LogLevel, openLog } from "./log.ts";

function openLines(level: LogLevel = "info") {
  const lines: string[] = [];
  return { log: openLog(level, { write: (line) => void lines.push(line) }), lines };
}

it("the log writes one JSON object a line, whatever stands in its values", () => {
  const { log, lines } = openLines();
  log.warn({ what: "a\r\nb\u2028c\u001b[31m", trace: "t-1" }, "odd");

  expect(lines).toHaveLength(1);
  for (const control of ["\r", "\u001b"]) expect(lines[0]).not.toContain(control);
  expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warn",
    msg: "odd",
    what: "a\r\nb\u2028c\u001b[31m",
    trace: "t-1",
  });
});

it("the log covers every token, also in a cause and whatever its checksum", () => {
  const { log, lines } = openLines();
  const token = makeToken("agt");
  log.error({ cause: new Error(`refused ${token}`), path: `/x?token=${token.slice(0, -1)}0` }, `with ${token}`);

  expect(lines.join("")).not.toContain(token.slice(8, 30));
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    msg: "with crw_agt_[masked]",
    cause: { message: "refused crw_agt_[masked]" },
  });
});

it("the log cuts a line that would fill the disk", () => {
  const { log, lines } = openLines();
  log.error({ cause: new Error("x".repeat(100_000)) }, "huge");

  expect(lines[0]?.length).toBeLessThan(10_000);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error" });
});

it("the log keeps to its level", () => {
  const quiet = openLines("warn");
  logCall(quiet.log, { operation: "/api/x", who: "box1@main", outcome: "ok", ms: 1, trace: "t" });
  const loud = openLines("info");
  logCall(loud.log, { operation: "/api/x", who: "box1@main", outcome: "ok", ms: 1.23456, trace: "t" });

  expect(quiet.lines).toEqual([]);
  expect(JSON.parse(loud.lines[0] ?? "")).toMatchObject({
    level: "info",
    operation: "/api/x",
    who: "box1@main",
    outcome: "ok",
    ms: 1.23,
    trace: "t",
    msg: "call",
  });
});
