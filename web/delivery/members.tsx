import type { Member } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { MemberMark } from "../ui/member-mark.tsx";
import { Ago } from "../ui/moment.tsx";
import { Section } from "../ui/page.tsx";
import { Answer } from "../ui/states.tsx";
import { useMembers } from "./use-members.ts";

/** Who can enter the room, and how each can be reached now. */
export function Members({ room }: { readonly room: string }) {
  const members = useMembers(room);
  return (
    <Answer of={members} lines={6}>
      {(all) => (
        <>
          <Group title={TEXTS.members.people} members={all.filter(({ kind }) => kind === "person")} />
          <Group title={TEXTS.members.agents} members={all.filter(({ kind }) => kind !== "person")} />
        </>
      )}
    </Answer>
  );
}

function Group({ title, members }: { readonly title: string; readonly members: readonly Member[] }) {
  if (members.length === 0) return null;
  return (
    <Section title={title} count={members.length}>
      <ul className="rows">
        {members.map((member) => (
          <MemberRow key={member.agent} member={member} />
        ))}
      </ul>
    </Section>
  );
}

function MemberRow({ member }: { readonly member: Member }) {
  const { agent, kind, display_name, owner, last_seen, is_you, paths, pull_only, why_not } = member;
  const { members } = TEXTS;
  return (
    <li>
      <MemberMark handle={agent} kind={kind} />
      <div className="row-text">
        <p className="row-head">
          <strong>
            <bdi>{display_name || agent}</bdi>
          </strong>
          {display_name !== "" && display_name !== agent && <span className="quiet">{agent}</span>}
          {is_you && <span className="chip">{members.you}</span>}
          {owner !== null && <span className="quiet">{members.of(owner)}</span>}
        </p>
        <p className="quiet">
          {last_seen === null ? (
            members.never
          ) : (
            <>
              {members.seen} <Ago at={last_seen} />
            </>
          )}
        </p>
      </div>
      <div className="paths">
        {why_not ? (
          <span className="chip urgent">{members.whyNot[why_not]}</span>
        ) : (
          <span className="quiet">
            {pull_only ? members.pullOnly : paths.length === 0 && kind !== "person" && members.none}
          </span>
        )}
        {paths.map((path) => (
          <span key={path} className="chip live" title={members.live}>
            {members.paths[path] ?? path}
          </span>
        ))}
      </div>
    </li>
  );
}
