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
 * A template without nested pieces is joined once and then found by its identity, so a hot query is compiled once.
 *
 * @example sql`select title from tasks where organization = ${org} and ${mayRead}`
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  if (!parts.some(isSql)) return { texts, values: parts as readonly SqlValue[] }; // true: none of them is SQL
  const builder = sqlBuilder();
  texts.forEach((text, index) => {
    builder.text(text);
    const part = parts[index];
    if (isSql(part)) builder.piece(part);
    else if (part !== undefined) builder.value(part);
  });
  return builder.built;
}

/** Values as a comma-separated list, for `in (…)` and `values (…)`. An empty list becomes `null`, which matches nothing. */
sql.list = (values: readonly SqlValue[]): Sql =>
  values.length === 0 ? sql`null` : { texts: ["", ...Array<string>(values.length - 1).fill(", "), ""], values };

/** Pieces put one after another with a separator, `, ` unless given. */
sql.join = (pieces: readonly Sql[], separator = ", "): Sql => {
  const builder = sqlBuilder();
  pieces.forEach((piece, index) => {
    if (index > 0) builder.text(separator);
    builder.piece(piece);
  });
  return builder.built;
};

/** Several rows for one `insert … values`. */
sql.rows = (rows: readonly (readonly SqlValue[])[]): Sql => sql.join(rows.map((row) => sql`(${sql.list(row)})`));

/** Nothing at all: the other branch of an optional condition. */
sql.nothing = raw("");

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
    // Only a template's own texts come again; they are frozen by the language.
    if (Object.isFrozen(query.texts)) seen.set(query.texts, text);
    return text;
  };
}

function sqlBuilder() {
  const texts: string[] = [""];
  const values: SqlValue[] = [];
  const text = (more: string) => texts.push((texts.pop() ?? "") + more);
  return {
    built: { texts, values } satisfies Sql,
    text,
    value(value: SqlValue) {
      values.push(value);
      texts.push("");
    },
    piece(piece: Sql) {
      text(piece.texts[0] ?? "");
      texts.push(...piece.texts.slice(1));
      values.push(...piece.values);
    },
  };
}

function raw(text: string): Sql {
  return { texts: [text], values: [] };
}

function isSql(part: SqlValue | Sql | undefined): part is Sql {
  return typeof part === "object" && part !== null && "texts" in part;
}
