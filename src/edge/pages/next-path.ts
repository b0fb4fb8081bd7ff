const LOCAL = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

/** An address of this hub to go on to; `home` for anything else, which would lead wherever a link's maker wanted. */
export function nextPath(asked: string | null | undefined, home: string): string {
  return asked && asked.length <= 2_000 && LOCAL.test(asked) ? asked : home;
}
