import type { ReactNode } from "react";

interface TableProps {
  readonly name: string;
  readonly heads: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[]; readonly isQuiet?: boolean }[];
}

/** Rows and columns. Where the screen is narrower than they are, they move sideways and the page does not. */
export function Table({ name, heads, rows }: TableProps) {
  return (
    <div className="table" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head, at) => (
              <th key={head || at} scope="col">
                {head || <span className="out-of-sight">{name}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, isQuiet = false }) => (
            <tr key={key} className={isQuiet ? "gone" : ""}>
              {cells.map((cell, at) => (
                <td key={heads[at] || at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
