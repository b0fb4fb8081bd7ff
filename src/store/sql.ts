/** What a statement may carry as a value: both databases store these the same way. Times are ms since 1970, UTC. */
export type SqlValue = string | number | null | Uint8Array;

/** A piece of SQL with its values apart from its text. Pieces nest. */
export interface Sql {
  readonly texts: readonly string[];
  readonly values: readonly SqlValue[];
}

/**
 * Makes SQL from a template; every `${}` becomes a placeholder, or is spliced in when it is SQL itself.
 *
 * The same template with the same pieces gives the same texts, found and not built anew: so a hot query is compiled once.
 *
 * @example sql`select title from tasks where organization = ${org} and ${mayRead}`
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  if (!parts.some(isSql)) return { texts, values: parts as readonly SqlValue[] }; // true: none of them is SQL
  return spliced(texts, parts);
}

/** Values as a comma-separated list, for `in (…)` and `values (…)`. An empty list becomes `null`, which matches nothing. */
sql.list = (values: readonly SqlValue[]): Sql =>
  values.length === 0 ? sql`null` : { texts: separated(values.length, ", "), values };

/** Pieces put one after another with a separator, `, ` unless given. */
sql.join = (pieces: readonly Sql[], separator = ", "): Sql => {
  return pieces.length === 0 ? sql.nothing : spliced(separated(pieces.length, separator), pieces);
};

/** Several rows for one `insert … values`. */
sql.rows = (rows: readonly (readonly SqlValue[])[]): Sql => sql.join(rows.map((row) => sql`(${sql.list(row)})`));

/** Nothing at all: the other branch of an optional condition. */
sql.nothing = { texts: Object.freeze([""]), values: [] } satisfies Sql;

/** The texts around `count` parts that `separator` stands between. One and the same list for the same two. */
function separated(count: number, separator: string): readonly string[] {
  const key = `${count}${separator}`;
  const known = separators.get(key);
  if (known) return known;
  const made = Object.freeze(["", ...Array<string>(count - 1).fill(separator), ""]);
  separators.set(key, made);
  return made;
}
const separators = new Map<string, readonly string[]>();

/** What a list of texts became with one more part: a step on the way to the texts of the whole. */
interface Splice {
  texts?: readonly string[];
  value?: Splice;
  readonly pieces: WeakMap<readonly string[], Splice>;
}
const splices: Splice["pieces"] = new WeakMap();

/** Texts and parts as one piece. Its texts are built once for each template and the texts of the pieces in it. */
function spliced(texts: readonly string[], parts: readonly (SqlValue | Sql)[]): Sql {
  let splice = stepTo(splices, texts);
  const values: SqlValue[] = [];
  for (const part of parts) {
    if (isSql(part)) {
      splice = stepTo(splice.pieces, part.texts);
      for (const value of part.values) values.push(value);
    } else {
      splice = splice.value ??= { pieces: new WeakMap() };
      values.push(part);
    }
  }
  splice.texts ??= Object.freeze(build(texts, parts));
  return { texts: splice.texts, values };
}

function stepTo(pieces: Splice["pieces"], texts: readonly string[]): Splice {
  const known = pieces.get(texts);
  if (known) return known;
  const made: Splice = { pieces: new WeakMap() };
  pieces.set(texts, made);
  return made;
}

function build(texts: readonly string[], parts: readonly (SqlValue | Sql)[]): string[] {
  const built = [texts[0] ?? ""];
  const append = (more: string) => built.push((built.pop() ?? "") + more);
  parts.forEach((part, index) => {
    if (isSql(part)) {
      append(part.texts[0] ?? "");
      built.push(...part.texts.slice(1));
    } else built.push("");
    append(texts[index + 1] ?? "");
  });
  return built;
}

/** How a database writes its n-th placeholder (from 1). */
export type Placeholder = (index: number) => string;

/** Gives a function that writes SQL out as one text, remembering the texts of templates it has seen. */
export function textWriter(placeholder: Placeholder): (query: Sql) => string {
  const seen = new WeakMap<readonly string[], string>();
  return (query) => {
    const known = seen.get(query.texts);
    if (known !== undefined) return known;
    const text = query.texts.reduce(
      (joined, part, index) => joined + (index === 0 ? "" : placeholder(index)) + part,
      "",
    );
    seen.set(query.texts, text);
    return text;
  };
}

function isSql(part: SqlValue | Sql | undefined): part is Sql {
  return typeof part === "object" && part !== null && "texts" in part;
}
