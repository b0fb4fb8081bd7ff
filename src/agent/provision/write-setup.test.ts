import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SetupSubject } from "../../features/tokens/setup-text.ts";
import { quoteForPowerShell, quoteForShell } from "./quote.ts";
import { writeSetup } from "./write-setup.ts";

const SUBJECT: SetupSubject = {
  token: "crw_agt_x",
  agent: "box1",
  rooms: ["ops", "lobby"],
  organization: "main",
  allRooms: false,
  readonly: false,
  admin: false,
  owner: null,
};
const LAN = { lan: "http://127.0.0.1:8090/", public: null };

/** All that a pasted text must not let out: quotes of every kind, expansions, ends of lines, what cuts a command. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("'", '"', "`", "$(id)", "${HOME}", "\\", "\n", ";", "&", "|", ">", "!", "#", "*", "~", "-", "%s"),
      fc.constantFrom("\u2018", "\u2019", "\u201b", "é", "🦊", " ", "\t"),
      fc.stringMatching(/^[a-z0-9_.:/-]{1,6}$/),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(""));

/** Programs that write down what they are given, in place of those that a pasted command runs. */
function openStage() {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-paste-"));
  const record = `#!/bin/sh
# A file for each run: its arguments, then what came on standard input.
out="$STAGE/ran-$$-$(basename "$0")"
for word in "$@"; do printf '%s\\0' "$word"; done > "$out.args"
cat > "$out.in"
pwd > "$out.cwd"
# As the real one leaves a file where it was told to.
while [ $# -gt 0 ]; do if [ "$1" = -o ]; then : > "$2"; fi; shift; done
`;
  for (const name of ["curl", "node", "claude", "tar"]) {
    writeFileSync(join(folder, name), record);
    chmodSync(join(folder, name), 0o700);
  }
  const read = (ending: string) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(join(folder, name), "utf8"));
  return {
    folder: realpathSync(folder),
    program: join(folder, ".crewroom/crewroom.mjs"),
    paste(text: string): { args: string[][]; inputs: string[]; folders: string[] } {
      execFileSync("sh", ["-c", text], {
        cwd: folder,
        env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, STAGE: folder },
        input: "",
        stdio: "pipe",
      });
      const args = read(".args").map((all) => all.split("\0").slice(0, -1));
      const inputs = read(".in");
      const folders = read(".cwd").map((line) => line.trimEnd());
      for (const name of readdirSync(folder)) if (name.startsWith("ran-")) rmSync(join(folder, name));
      return { args, inputs, folders };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

test("a word quoted for sh comes out of a real sh as it went in, whatever it holds", () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 20 }), (words) => {
      const script = `printf '%s\\0' ${words.map(quoteForShell).join(" ")}`;
      const seen = execFileSync("sh", ["-c", script], { encoding: "utf8" });
      expect(seen.split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 60 },
  );
});

test("a word quoted for PowerShell is one literal, by its rule: every kind of single quote in it is doubled", () => {
  expect(
    ["plain", "it's", "\u2018a\u2019b\u201ac\u201bd", '"$(id)`n', "", "two words", "--option"].map(quoteForPowerShell),
  ).toEqual([
    "plain",
    "'it''s'",
    "'\u2018\u2018a\u2019\u2019b\u201a\u201ac\u201b\u201bd'",
    `'"$(id)\`n'`,
    "''",
    "'two words'",
    "'--option'",
  ]);
  fc.assert(
    fc.property(hostile, (word) => {
      const quoted = quoteForPowerShell(word);
      const inside = /^'([^]*)'$/.exec(quoted)?.[1];
      if (inside === undefined) expect(quoted).toMatch(/^[\w./:=-]+$/);
      else {
        expect(inside.replace(/(['\u2018-\u201b])\1/g, "")).not.toMatch(/['\u2018-\u201b]/);
        expect(inside.replace(/(['\u2018-\u201b])\1/g, "$1")).toBe(word);
      }
    }),
  );
});

test("pasted into a real sh, each command hands on what it should, and the token is never an argument", () => {
  using stage = openStage();
  fc.assert(
    fc.property(hostile, hostile, (name, secret) => {
      const token = `crw_${secret}`;
      const url = `http://hub.test/${name}`.replace(/\/+$/, "");
      const { lan } = writeSetup({ lan: url, public: null }, { ...SUBJECT, token });

      const seen = {
        claude: stage.paste(lan.claude_cli),
        plugin: stage.paste(lan.plugin_install),
        connect: stage.paste(lan.connect),
        hook: stage.paste(lan.hook_install),
      };

      expect(seen.claude.args).toEqual([["mcp", "add-json", "--scope", "user", "crewroom", "-"]]);
      expect(JSON.parse(seen.claude.inputs[0] ?? "")).toEqual({
        type: "http",
        url: `${url}/mcp`,
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(seen.plugin.inputs.filter((input) => input.startsWith("{")).map((input) => JSON.parse(input))).toEqual([
        { url, token },
      ]);
      expect(seen.plugin.args).toContainEqual(expect.arrayContaining([`${url}/v1/plugin`, "@-"]));
      const connect = [stage.program, "connect", "--url", url, "--token-file", "-"];
      expect(seen.connect.args).toContainEqual(connect);
      expect(seen.connect.inputs).toEqual(expect.arrayContaining([`Authorization: Bearer ${token}`, token]));
      expect(seen.hook.args).toContainEqual(expect.arrayContaining([`${url}/v1/hook`, "@-"]));
      const words = Object.values(seen).flatMap(({ args }) => args.flat());
      expect(words.filter((word) => word.includes(token))).toEqual([]);
    }),
    { numRuns: 12 },
  );
});

test("connect runs in the folder that it is pasted in, and takes what is put behind it", () => {
  using stage = openStage();
  const { lan } = writeSetup(LAN, SUBJECT);

  const { args, folders } = stage.paste(`${lan.connect} --project`);

  const at = args.findIndex((words) => words.includes("connect"));
  expect([args[at]?.at(-1), folders[at]]).toEqual(["--project", stage.folder]);
});

test("what cannot be fetched is said, is not left half, and does not end the shell it was pasted into", () => {
  using stage = openStage();
  const { lan } = writeSetup(LAN, SUBJECT);
  const failing = `curl() { : > crewroom-hook.new.mjs; return 22; }; ${lan.hook_install}; ls -a "$HOME/.claude/hooks" > "$STAGE/ran-left.in"; : > "$STAGE/ran-went-on.args"`;

  const { args, inputs } = stage.paste(failing);

  expect([args, inputs]).toEqual([[[]], [".\n..\n"]]);
});

test("both addresses get the same text but for the address; a public one is never guessed", () => {
  const one = writeSetup(LAN, SUBJECT);
  const both = writeSetup({ lan: "http://10.0.0.7:8090", public: "https://hub.example/base/" }, SUBJECT);
  const given = writeSetup(LAN, { ...SUBJECT, publicUrl: "https://crew.example/" });

  expect([one.prefer, one.public, both.prefer, both.public_hint]).toEqual(["lan", null, "lan", null]);
  expect(one.public_hint).toContain("CREWROOM_PUBLIC_URL");
  expect(both.public?.url).toBe("https://hub.example/base");
  expect(JSON.stringify(both.public).replaceAll("https://hub.example/base", "http://10.0.0.7:8090")).toBe(
    JSON.stringify(both.lan),
  );
  expect([given.prefer, given.public?.url]).toEqual(["public", "https://crew.example"]);
});

test("the files are JSON with the token where it belongs, and the brief holds none", () => {
  const { lan } = writeSetup(LAN, { ...SUBJECT, readonly: true, owner: "ann" });

  expect(JSON.parse(lan.mcp_json)).toEqual({
    mcpServers: {
      crewroom: {
        type: "http",
        url: "http://127.0.0.1:8090/mcp",
        headers: { Authorization: "Bearer crw_agt_x" },
      },
    },
  });
  const settings = JSON.parse(lan.claude_settings) as { env: object; hooks: object };
  expect(settings.env).toEqual({
    CREWROOM_URL: "http://127.0.0.1:8090",
    CREWROOM_TOKEN: "crw_agt_x",
    CREWROOM_ROOM: "ops",
  });
  expect(Object.keys(settings.hooks)).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "PostToolBatch",
    "Stop",
    "SessionEnd",
  ]);
  expect(lan.agent_brief).toMatch(/rooms ops, lobby, as observer; your default room is ops[^]*You act for ann/);
  expect(lan.agent_brief + lan.watch_arm + lan.admin_cli_equivalent).not.toContain("crw_agt_x");
  expect(lan.admin_cli_equivalent).toBe(
    "crewroom token add --agent box1 --room ops --also-room lobby --owner ann --readonly",
  );
});
