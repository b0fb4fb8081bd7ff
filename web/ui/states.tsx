import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { HubRefusal, HubUnreachable } from "../../src/client/hub-client.ts";
import { TEXTS } from "../texts.ts";

/** What went wrong, and what to do: the hub's own sentences where it gave some. */
export function wordsOf(error: unknown): { readonly says: string; readonly next: string } {
  if (error instanceof HubRefusal) return { says: error.message, next: error.next };
  if (error instanceof HubUnreachable) return { says: TEXTS.states.unreachable, next: TEXTS.states.unreachableNext };
  return { says: TEXTS.states.fault, next: error instanceof Error ? error.message : "" };
}

export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) {
  const { says, next } = wordsOf(error);
  return (
    <div className="note bad" role="alert">
      <p>{says}</p>
      {next && <p className="quiet">{next}</p>}
      {retry && (
        <button type="button" onClick={retry}>
          {TEXTS.states.retry}
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <p className="quiet">{children}</p>}
    </div>
  );
}

/** Grey lines where text is about to stand. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className="loading" role="status" aria-label={TEXTS.states.loading}>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} className="loading-line" />
      ))}
    </div>
  );
}

/** An answer as it comes: grey lines, what went wrong, or what `children` make of it. */
export function Answer<Data>({
  of: query,
  children,
  lines,
}: {
  readonly of: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
  readonly lines?: number;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />;
  return <Loading {...(lines !== undefined && { lines })} />;
}
