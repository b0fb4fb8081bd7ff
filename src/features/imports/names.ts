import { newHandle } from "../../core/fields.ts";

const LONGEST = 64;

/**
 * The nearest name that the rule allows and nobody has: letters without their marks, in lower case, a hyphen for what is left; a
 * number behind it where it is taken.
 *
 * @param fallback  where nothing of the old name is left.
 */
export async function nearestFree(
  old: string,
  fallback: string,
  isTaken: (name: string) => boolean | Promise<boolean>,
): Promise<string> {
  const base = nearest(old) || fallback;
  for (let count = 1; ; count++) {
    const end = count === 1 ? "" : `-${count}`;
    const name = base.slice(0, LONGEST - end.length) + end;
    if (newHandle.safeParse(name).success && !(await isTaken(name))) return name;
  }
}

function nearest(old: string): string {
  const plain = old.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replaceAll(/^[-_]+|-+$/g, "")
    .slice(0, LONGEST);
}
