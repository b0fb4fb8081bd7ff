// What is told of many measured values.

/** The middle one: what a busy machine did to a round or two is not in it. */
export function median(values: readonly number[]): number {
  return shareOf(values, 0.5);
}

/** The value that so large a share of all is below: 0.99 for p99. */
export function shareOf(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** One line of a table: its name, then the cells in columns. */
export function line(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(36)}${cells.map((cell) => cell.padStart(14)).join("")}`;
}
