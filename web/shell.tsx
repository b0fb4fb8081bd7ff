import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { signInAgain, useHub } from "./hub.ts";
import { followLive, type Line } from "./live.ts";
import { Navigation } from "./navigation.tsx";
import { TEXTS } from "./texts.ts";
import { Dialog } from "./ui/dialog.tsx";
import { Icon } from "./ui/icons.tsx";
import { Toasts } from "./ui/toasts.tsx";
import { useWaitingCount } from "./questions/use-home.ts";

const LineContext = createContext<Line>("opening");
export const useLine = (): Line => useContext(LineContext);

/** What is around every page: where else to go, whether the line is open, what just happened. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const line = useLive();
  const [isOpen, setOpen] = useState(false);
  const [path] = useLocation();
  const { isWall } = useHub();
  const main = useFocusOnNewPage(path);
  useEffect(() => setOpen(false), [path]);
  return (
    <LineContext value={line}>
      <a className="skip" href="#main">
        {TEXTS.shell.skip}
      </a>
      <div className={isWall ? "shell wall" : "shell"}>
        {!isWall && (
          <header className="phone-top">
            <button type="button" className="bare" aria-label={TEXTS.shell.menu} onClick={() => setOpen(true)}>
              <Icon name="menu" />
            </button>
            <a className="brand" href="/ui">
              Crewroom
            </a>
          </header>
        )}
        {!isWall && (
          <div className="side">
            <Navigation />
          </div>
        )}
        {isOpen && (
          <Dialog title={TEXTS.shell.menu} aside onClose={() => setOpen(false)}>
            <Navigation />
          </Dialog>
        )}
        <main id="main" ref={main} tabIndex={-1}>
          {line === "lost" && (
            <p className="line-lost" role="status">
              {TEXTS.states.lost}
            </p>
          )}
          {children}
        </main>
      </div>
      {!isWall && <WaitingCount />}
      <Toasts />
    </LineContext>
  );
}

/** Follows the room of the page; elsewhere the person's own one, for the questions. */
function useLive(): Line {
  const hub = useHub();
  const queries = useQueryClient();
  const [line, setLine] = useState<Line>("opening");
  const [path] = useLocation();
  const room = /^\/ui\/rooms\/([^/]+)/.exec(path)?.[1] ?? hub.me.default_room ?? hub.me.rooms[0];
  useEffect(() => {
    if (room === undefined) return;
    return followLive({
      hub,
      room,
      queries,
      onLine: setLine,
      onEnd: hub.isWall ? () => location.reload() : signInAgain,
    });
  }, [hub, room, queries]);
  return line;
}

/** Whoever comes to another page by keyboard or hears it read begins at its top, not in the menu. */
function useFocusOnNewPage(path: string) {
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
  return main;
}

function WaitingCount() {
  useWaitingCount();
  return null;
}
