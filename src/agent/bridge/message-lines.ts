import type { Readable } from "node:stream";

/** In bytes: far above what the hub takes, which says so itself. */
const LONGEST = 32 * 1024 * 1024;

/**
 * The lines of a stream of bytes. Only the line feed ends one: JSON may hold every other character that some take for an end.
 *
 * @throws RangeError for a line that never ends.
 */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      // Cut in bytes, read whole: so no character is cut in two.
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
      parts = [];
      length = 0;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > LONGEST) throw new RangeError("A message has more than 32 MB.");
    if (rest.length > 0) parts.push(rest);
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString("utf8");
}
