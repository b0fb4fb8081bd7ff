import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { quoteForShell, writeSetup } from "./setup-text.ts";

const SETUP = {
  url: "https://hub.example/base",
  token: "crw_agt_x",
  agent: "box1",
  rooms: ["ops", "lobby"],
  allRooms: false,
  readonly: false,
};

test("setup text says the same in the command and in the file, with the token in both", () => {
  const { claude_cli, mcp_json, agent_brief } = writeSetup(SETUP);

  expect(claude_cli).toBe(
    "claude mcp add --scope user --transport http crewroom https://hub.example/base/mcp --header 'Authorization: Bearer crw_agt_x'",
  );
  expect(JSON.parse(mcp_json)).toEqual({
    mcpServers: {
      crewroom: { type: "http", url: "https://hub.example/base/mcp", headers: { Authorization: "Bearer crw_agt_x" } },
    },
  });
  expect(agent_brief).not.toContain("crw_agt_x");
  expect(agent_brief).toContain("rooms ops, lobby; your default room is ops");
});

test("a word quoted for the shell comes out as it went in, whatever it holds", () => {
  const words = ["plain", "two words", "it's", '"$(id)`id`\\', "a\nb", "", "!#&*;|<>", "'; echo x; '"];

  const seen = execFileSync("sh", ["-c", `printf '%s\\0' ${words.map(quoteForShell).join(" ")}`], { encoding: "utf8" });

  expect(seen.split("\0").slice(0, -1)).toEqual(words);
});
