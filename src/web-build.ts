import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WebBuild } from "./edge/web/assets.ts";

/** Where the console was built to, seen from the sources and from the bundle of the hub itself. */
const FOLDER = join(import.meta.dirname, "../dist/web");

/** The console as it was built together with this hub; undefined where it was not. */
export function readWebBuild(): WebBuild | undefined {
  const manifest = join(FOLDER, "manifest.json");
  if (!existsSync(manifest)) return undefined;
  // Written by the build: the names of the first script and style, and of every file.
  const { script, style, files } = JSON.parse(readFileSync(manifest, "utf8")) as {
    script: string;
    style: string;
    files: string[];
  };
  return { script, style, files: files.map((name) => ({ name, bytes: readFileSync(join(FOLDER, name)) })) };
}
