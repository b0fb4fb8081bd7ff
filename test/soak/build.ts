import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");
/** Of this run alone: another one in the same clone must not remove it. */
export const BUNDLES = join(ROOT, `test/.cache/soak-${process.pid}`);

/** A change of one place in the sources, which makes the hub wrong in a known way. */
export interface Change {
  /** Below src/. */
  readonly file: string;
  /** Must be there exactly once; white space counts as one space. */
  readonly find: string;
  readonly replace: string;
}

/**
 * Bundles a program of this folder with the hub in it, the sources changed as told.
 *
 * @returns the bundle's path.
 * @throws Error when a change finds its place not at all or twice: then the mutant has to be written anew.
 */
export async function bundle(entry: string, name: string, changes: readonly Change[] = []): Promise<string> {
  await mkdir(BUNDLES, { recursive: true });
  const outfile = join(BUNDLES, `${name}.mjs`);
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(import.meta.dirname, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "warning",
    external: ["pg-native"],
    banner: {
      js: 'import { createRequire as createRequireForBundle } from "node:module"; const require = createRequireForBundle(import.meta.url);',
    },
    plugins: changes.length === 0 ? [] : [changing(changes)],
  });
  return outfile;
}

function changing(changes: readonly Change[]): Plugin {
  const byFile = Map.groupBy(changes, (change) => join(ROOT, "src", change.file));
  return {
    name: "changes",
    setup(within) {
      within.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const here = byFile.get(path);
        return here && { loader: "ts", contents: here.reduce(changed, readFileSync(path, "utf8")) };
      });
    },
  };
}

function changed(source: string, { file, find, replace }: Change): string {
  const pattern = new RegExp(find.trim().split(/\s+/).map(literally).join("\\s+"), "g");
  const places = source.match(pattern)?.length ?? 0;
  if (places !== 1)
    throw new Error(`The mutant of src/${file} must find its place once and finds it ${places} times:\n${find}`);
  return source.replace(pattern, () => replace);
}

/** As a pattern that matches the text itself. */
function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
