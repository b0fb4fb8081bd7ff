import type { ReactNode } from "react";
import { TEXTS } from "../texts.ts";

/** Leads elsewhere; beside it stands where to, unless that is what it says. */
export function OutLink({
  href,
  shows,
  children,
}: {
  readonly href: string;
  readonly shows: string;
  readonly children?: ReactNode;
}) {
  if (!URL.canParse(href)) return <>{children ?? shows}</>;
  const { protocol, host, username, password } = new URL(href);
  if (!["http:", "https:", "mailto:"].includes(protocol)) return <>{children ?? shows}</>;
  const says = host === "" || (shows.includes(`//${host}`) && username === "" && password === "");
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children ?? shows}
      </a>
      {!says && <span className="leads">{TEXTS.leadsTo(host)}</span>}
    </>
  );
}
