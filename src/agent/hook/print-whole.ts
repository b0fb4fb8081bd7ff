import type { Writable } from "node:stream";

/** Writes a text out, and resolves once the system has all of it. @throws the system's error when nobody reads any more. */
export function printWhole(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.once("error", reject);
    output.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
