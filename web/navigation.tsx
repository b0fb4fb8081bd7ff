import { Link, useLocation } from "wouter";
import { administers, isPerson, useHub } from "./hub.ts";
import { seenKey, useSeen } from "./rooms/seen.ts";
import { useRooms } from "./rooms/use-rooms.ts";
import { TEXTS } from "./texts.ts";
import { Icon, type IconName } from "./ui/icons.tsx";
import { type Look, look, setLook } from "./ui/look.ts";
import { MemberMark } from "./ui/member-mark.tsx";
import { tellProblem } from "./ui/toasts.tsx";
import { useWaiting } from "./questions/use-home.ts";

export function Navigation() {
  const hub = useHub();
  const waits = useWaiting();
  return (
    <nav className="navigation" aria-label={TEXTS.shell.menu}>
      <Link className="brand" href="/ui">
        Crewroom
      </Link>
      <ul>
        <Entry to="/ui" icon="home" text={TEXTS.shell.home} count={waits} exact />
        <Entry to="/ui/search" icon="search" text={TEXTS.shell.search} />
        {isPerson(hub) && <Entry to="/ui/ask" icon="ask" text={TEXTS.shell.ask} />}
      </ul>
      <RoomList />
      {administers(hub) && (
        <ul>
          <Entry to="/admin" icon="admin" text={TEXTS.shell.admin} />
        </ul>
      )}
      <Account />
    </nav>
  );
}

interface EntryProps {
  readonly to: string;
  readonly icon: IconName;
  readonly text: string;
  readonly count?: number;
  readonly exact?: boolean;
  readonly isNew?: boolean;
}

function Entry({ to, icon, text, count = 0, exact = false, isNew = false }: EntryProps) {
  const [path] = useLocation();
  const isHere = exact ? path === to : path === to || path.startsWith(`${to}/`);
  return (
    <li>
      <Link href={to} className="entry" aria-current={isHere ? "page" : undefined}>
        <Icon name={icon} />
        <span className="entry-text">{text}</span>
        {count > 0 && <span className="count">{count}</span>}
        {isNew && (
          <span className="dot">
            <span className="out-of-sight">{TEXTS.shell.unread}</span>
          </span>
        )}
      </Link>
    </li>
  );
}

function RoomList() {
  const { data } = useRooms();
  const hub = useHub();
  const seen = useSeen();
  return (
    <>
      <h2 className="entry-heading">{TEXTS.shell.rooms}</h2>
      {data?.length === 0 && <p className="quiet entry-hint">{TEXTS.shell.noRooms}</p>}
      <ul>
        {data?.map(({ name, messages }) => {
          const before = seen[seenKey(hub, name)];
          return (
            <Entry
              key={name}
              to={`/ui/rooms/${name}`}
              icon="room"
              text={name}
              isNew={before !== undefined && messages > before}
            />
          );
        })}
      </ul>
    </>
  );
}

const PAGES = [
  ["/notices", TEXTS.shell.notices],
  ["/connect", TEXTS.shell.connect],
  ["/sessions", TEXTS.shell.signIns],
  ["/passkeys", TEXTS.shell.passkeys],
  ["/password", TEXTS.shell.password],
] as const;

function Account() {
  const { me, call } = useHub();
  const onSignOut = () => {
    call("logout", {}).then(() => location.assign("/login"), tellProblem);
  };
  return (
    <details className="account">
      <summary>
        <MemberMark handle={me.user_id} kind={me.kind} />
        <span className="entry-text">
          <span className="account-name">{me.profile?.name || me.user_id}</span>
          <span className="quiet">
            {me.user_id} in {me.org_id}
          </span>
        </span>
      </summary>
      <ul>
        <li>
          <Link className="entry" href="/ui/you">
            {TEXTS.you.title}
          </Link>
        </li>
        {PAGES.map(([path, text]) => (
          <li key={path}>
            <a className="entry" href={path}>
              {text}
            </a>
          </li>
        ))}
        <li>
          <button type="button" className="entry" onClick={onSignOut}>
            {TEXTS.shell.signOut}
          </button>
        </li>
      </ul>
      <LookChoice />
    </details>
  );
}

function LookChoice() {
  const now = look.use();
  const choose = (change: Partial<Look>) => setLook({ ...now, ...change });
  const { themes, densities } = TEXTS.shell;
  return (
    <div className="look-choice">
      <label>
        {TEXTS.shell.theme}
        <select value={now.theme} onChange={({ target }) => choose({ theme: target.value as Look["theme"] })}>
          {Object.entries(themes).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        {TEXTS.shell.density}
        <select value={now.density} onChange={({ target }) => choose({ density: target.value as Look["density"] })}>
          {Object.entries(densities).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
