/** A number with its noun. */
export const some = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;
