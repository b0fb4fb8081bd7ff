/** One step of the schema. Statements both databases accept; the other two lists are for what only one of them has. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
  readonly sqlite?: readonly string[];
  readonly postgres?: readonly string[];
}
