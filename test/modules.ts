import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

/** One import (or export from) of a module. */
export interface Import {
  /** A path from the root of the project, or the name of a package or of a module of Node. */
  readonly target: string;
  /** Whether it leaves nothing in the running program. */
  readonly typeOnly: boolean;
}

export interface Module {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly hasDefaultExport: boolean;
  /** Whether it does nothing but hand on what others export. */
  readonly isBarrel: boolean;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ELSEWHERE = /(^|\/)(node_modules|dist|\.cache)\//;

/** Paths of all TypeScript files in `folders`, from the root of the project. */
export function listFiles(folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: "utf8" })
      .map((path) => posix.join(folder, path.replaceAll("\\", "/")))
      .filter((path) => /\.tsx?$/.test(path) && !ELSEWHERE.test(path)),
  );
}

/** Reads and parses the files at `paths`. */
export function readModules(paths: readonly string[]): Module[] {
  return paths.map((path) => parseModule(path, readFileSync(`${ROOT}${path}`, "utf8")));
}

/**
 * What a module imports and exports.
 *
 * @throws Error when the text is no TypeScript: a file that cannot be read must not pass for one without imports.
 */
export function parseModule(path: string, text: string): Module {
  const { module, program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);

  const resolve = (name: string): string => (name.startsWith(".") ? posix.join(posix.dirname(path), name) : name);
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  return {
    path,
    lines: text.trimEnd().split("\n").length,
    imports: [
      ...module.staticImports.map(({ moduleRequest, entries }) => ({
        target: resolve(moduleRequest.value),
        typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
      })),
      ...exported.flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ target: resolve(moduleRequest.value), typeOnly: isType }] : [],
      ),
      ...module.dynamicImports.map(({ moduleRequest }) => ({
        target: resolve(text.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
        typeOnly: false,
      })),
    ],
    hasDefaultExport: exported.some(({ exportName }) => exportName.kind === "Default"),
    isBarrel: program.body.length > 0 && program.body.every((statement) => "source" in statement && statement.source),
  };
}
