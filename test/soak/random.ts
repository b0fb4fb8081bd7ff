/** Random numbers that come again with the same seed. */
export interface Random {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  /** Another source, that differs by name and not by how much of this one was used. */
  fork(name: string): Random;
}

/** @source Mulberry32 by Tommy Ettinger: 32 bits of state, good enough to vary a schedule. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    int,
    pick(choices) {
      const choice = choices[int(0, choices.length - 1)];
      if (choice === undefined) throw new Error("There is nothing to pick from.");
      return choice;
    },
    fork: (name) => seeded(seed ^ digestOf(name)),
  };
}

function digestOf(text: string): number {
  let digest = 2_166_136_261;
  for (const character of text) digest = Math.imul(digest ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return digest >>> 0;
}
