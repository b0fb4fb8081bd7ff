/** One word of a command for sh; plain words stay as they are. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * One word for PowerShell; plain words stay as they are. It takes typographic single quotes for quotes, too.
 *
 * @source PowerShell's "about_Quoting_Rules"; the language specification, 2.3.5.2: what counts as a single quote.
 */
export function quoteForPowerShell(word: string): string {
  return /^[a-zA-Z0-9_./:=-]+$/.test(word) && !word.startsWith("-")
    ? word
    : `'${word.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
}

/** JSON in ASCII alone: older shells hand on other characters in a code page of their own. */
export function asciiJson(value: object, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[^\x20-\x7e\n]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
