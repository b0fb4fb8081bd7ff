import { useEffect, useRef } from "react";
import { Link } from "wouter";

interface TabsProps {
  readonly name: string;
  readonly tabs: readonly { readonly to: string; readonly text: string; readonly isHere: boolean }[];
}

/** The parts of a page, side by side. Where they do not fit, the one that is open is brought into sight. */
export function Tabs({ name, tabs }: TabsProps) {
  const place = useRef<HTMLElement>(null);
  const here = tabs.find(({ isHere }) => isHere)?.to;
  useEffect(() => {
    place.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [here]);
  return (
    <nav ref={place} className="tabs" aria-label={name}>
      {tabs.map(({ to, text, isHere }) => (
        <Link key={to} href={to} aria-current={isHere ? "page" : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
