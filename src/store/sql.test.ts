import { expect, test } from "vitest";
import { sql, textWriter } from "./sql.ts";

const write = textWriter((index) => `$${index}`);
const mayRead = (member: string) => sql`member = ${member}`;
const query = (rooms: readonly number[], kind?: string) => sql`
  select a from b where ${mayRead("box1")} and room in (${sql.list(rooms)})
  ${kind === undefined ? sql.nothing : sql`and kind = ${kind}`} limit ${5}`;

test("pieces are spliced into one text, their values in its order", () => {
  const made = query([1, 2], "message");

  expect(write(made).replaceAll(/\s+/g, " ").trim()).toBe(
    "select a from b where member = $1 and room in ($2, $3) and kind = $4 limit $5",
  );
  expect(made.values).toEqual(["box1", 1, 2, "message", 5]);
});

test("rows and joined pieces are separated, an empty list matches nothing, no pieces are nothing", () => {
  const rows = sql`insert into t values ${sql.rows([
    [1, "a"],
    [2, null],
  ])}`;
  const either = sql`where ${sql.join([sql`a = ${1}`, sql`b`], " or ")}`;

  expect([write(rows), rows.values]).toEqual(["insert into t values ($1, $2), ($3, $4)", [1, "a", 2, null]]);
  expect([write(either), either.values]).toEqual(["where a = $1 or b", [1]]);
  expect(write(sql`x in (${sql.list([])})`)).toBe("x in (null)");
  expect(write(sql`x${sql.join([])}`)).toBe("x");
});

test("a query of the same pieces has the same texts, whatever its values; of other pieces, other ones", () => {
  expect(query([1, 2]).texts).toBe(query([8, 9]).texts);
  expect(query([1, 2]).texts).not.toBe(query([1]).texts);
  expect(query([1], "message").texts).not.toBe(query([1]).texts);
});
