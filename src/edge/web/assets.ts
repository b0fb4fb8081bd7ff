import { gzipSync } from "node:zlib";
import type { Reply, Route } from "../exchange.ts";

/** A file that was built from `web/`. Its name has a digest of what is in it, so what a name stands for never changes. */
export interface WebFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a browser loads as the console: `script` and `style` are the names of its first two files. */
export interface WebBuild {
  readonly script: string;
  readonly style: string;
  readonly files: readonly WebFile[];
}

const FOLDER = "/ui/assets";
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};
/** Below this (bytes) packing saves nothing. */
const WORTH_PACKING = 1_000;

export const assetPath = (name: string): string => `${FOLDER}/${name}`;

/** The files of the console: the same for everybody, kept by browsers for good, packed once. */
export function assetRoutes({ files }: WebBuild): Route[] {
  return files.map(({ name, bytes }) => {
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) throw new Error(`${name} in the build of the console is of no known type.`);
    const packed = bytes.length < WORTH_PACKING ? undefined : gzipSync(bytes, { level: 9 });
    return {
      method: "GET",
      path: assetPath(name),
      open: true,
      run: ({ headers: { "accept-encoding": accepted = "" } }) =>
        packed && /\bgzip\b/.test(accepted)
          ? served(type, packed, { "content-encoding": "gzip" })
          : served(type, bytes),
    };
  });
}

function served(type: string, body: Uint8Array, besides: Readonly<Record<string, string>> = {}): Reply {
  const headers = {
    "content-type": type,
    "cache-control": "public, max-age=31536000, immutable",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    vary: "Accept-Encoding",
    ...besides,
  };
  return { status: 200, headers, body };
}
