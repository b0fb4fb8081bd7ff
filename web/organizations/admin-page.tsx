import { type ComponentType, useEffect } from "react";
import { Hooks } from "../hooks/hooks.tsx";
import { administers, useHub } from "../hub.ts";
import { Invitations } from "../people/invitations.tsx";
import { MemberAdmin } from "../people/member-admin.tsx";
import { RoomAdmin } from "../rooms/room-admin.tsx";
import { TEXTS } from "../texts.ts";
import { Tokens } from "../tokens/tokens.tsx";
import { Empty } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { setTitle } from "../ui/title.ts";
import { AuditLog } from "./audit-log.tsx";
import { InstanceState } from "./instance-state.tsx";
import { Policy } from "./policy.tsx";

const PARTS: Readonly<Record<string, { readonly text: string; readonly Part: ComponentType }>> = {
  rooms: { text: TEXTS.admin.rooms, Part: RoomAdmin },
  members: { text: TEXTS.admin.members, Part: MemberAdmin },
  tokens: { text: TEXTS.admin.tokens, Part: Tokens },
  invitations: { text: TEXTS.admin.invitations, Part: Invitations },
  hooks: { text: TEXTS.admin.hooks, Part: Hooks },
  policy: { text: TEXTS.admin.policy, Part: Policy },
  audit: { text: TEXTS.admin.audit, Part: AuditLog },
  state: { text: TEXTS.admin.state, Part: InstanceState },
};

/** The administration of an organization. The hub decides who may; this only does not offer it to others. */
export function AdminPage({ part }: { readonly part: string }) {
  const hub = useHub();
  const found = PARTS[part];
  const { admin } = TEXTS;
  const tabs = Object.entries(PARTS).map(([name, { text }]) => ({ to: `/admin/${name}`, text, isHere: name === part }));
  useEffect(() => setTitle(admin.title), [admin.title]);
  return (
    <div className="room">
      <header className="room-top">
        <div className="room-name">
          <h1>{admin.title}</h1>
          <p className="quiet room-lead">{hub.me.org_id}</p>
        </div>
        <Tabs name={admin.parts} tabs={tabs} />
      </header>
      <div className="room-part admin">
        {!administers(hub) ? (
          <Empty title={admin.notAllowed}>{admin.notAllowedNext}</Empty>
        ) : found ? (
          <found.Part />
        ) : (
          <Empty title={TEXTS.shell.nowhere}>{TEXTS.shell.nowhereNext}</Empty>
        )}
      </div>
    </div>
  );
}
