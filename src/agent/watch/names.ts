/**
 * Whether a text names the agent: by its handle, the digits in it, or a further name. A name is whole: `box1` is none in
 * `box1-api`, nor in `xbox1`.
 */
export function namesMatcher(
  handle: string,
  { names, alias }: { readonly names: readonly string[]; readonly alias: boolean },
): (text: string) => boolean {
  const digits = alias && /\p{L}/u.test(handle) ? /\d{4,}/.exec(handle)?.[0] : undefined;
  const all = [handle, ...(digits === undefined ? [] : [digits]), ...names].toSorted((a, b) => b.length - a.length);
  const either = all.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${either})(?![\\p{L}\\p{N}_-])`, "iu");
  return (text) => pattern.test(text);
}
