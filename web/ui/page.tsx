import { type ReactNode, useEffect } from "react";
import { setTitle } from "./title.ts";

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page of the console: its heading is its title too. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => setTitle(title), [title]);
  return (
    <div className="page">
      <header className="page-top">
        <div className="page-title">
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  count,
  children,
  actions,
}: {
  readonly title: string;
  readonly count?: number;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="section">
      <div className="section-top">
        <h2>
          {title}
          {count !== undefined && count > 0 && <span className="count">{count}</span>}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
