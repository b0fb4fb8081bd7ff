// What the plugin for Claude Code is made of, and the archive of it that a hub hands out.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "./bootstrap.mjs";

/** Its folder in the project. */
export const PLUGIN = "plugins/crewroom";

/** The built files that are part of it. */
export const AGENT_FILES = ["crewroom-bridge.mjs", "crewroom-hook.mjs", "crewroom-monitor.mjs"];

/** What is written by hand: paths from the root of the project. */
export function pluginSources() {
  const own = readdirSync(join(ROOT, PLUGIN), { recursive: true })
    .map((path) => `${PLUGIN}/${path.replaceAll("\\", "/")}`)
    .filter((path) => !path.startsWith(`${PLUGIN}/agent`) && statSync(join(ROOT, path)).isFile());
  return [".claude-plugin/marketplace.json", ...own].toSorted((a, b) => (a < b ? -1 : 1)); // the same order on every system
}

/** A marketplace with the plugin in it, as tar and gzip: the same bytes for the same files. */
export function packPlugin() {
  const files = [
    ...pluginSources().map((path) => ({ path, from: join(ROOT, path) })),
    ...AGENT_FILES.map((name) => ({ path: `${PLUGIN}/agent/${name}`, from: join(ROOT, "dist", name) })),
  ];
  const blocks = files.flatMap(({ path, from }) => entry(`crewroom-plugin/${path}`, readFileSync(from)));
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

const BLOCK = 512;

/** @source POSIX.1-1988, "ustar": a header of 512 bytes in octal digits, the content, zeros up to a whole block. */
function entry(path, content) {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long a path for the archive.`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value, at, length) => header.write(value.toString(8).padStart(length - 1, "0"), at);
  header.write(path, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8); // owner
  octal(0, 116, 8); // group
  octal(content.length, 124, 12);
  octal(0, 136, 12); // time: the archive tells of its files alone
  header.write("        0", 148); // the sum is taken over blanks; an ordinary file
  header.write("ustar\u000000", 257);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
