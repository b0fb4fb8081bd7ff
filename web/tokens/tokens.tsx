import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AnswerOf, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Ago } from "../ui/moment.tsx";
import { readPages } from "../ui/read-pages.ts";
import { Answer } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { NewToken } from "./new-token.tsx";

type Token = AnswerOf<"list_tokens">["tokens"][number];

/** Agents' tokens: made, looked through, revoked one by one. */
export function Tokens() {
  const { call } = useHub();
  const [showsAll, setShowsAll] = useState(false);
  const [opened, setOpened] = useState<"new" | Token>();
  const tokens = useQuery({
    queryKey: [...keys.admin("tokens"), showsAll],
    queryFn: () =>
      readPages<Token, string>(async (before_id) => {
        const { tokens: items, next } = await call("list_tokens", { before_id, live_only: !showsAll, limit: 200 });
        return { items, next };
      }),
  });
  const { admin } = TEXTS;
  const onClose = () => setOpened(undefined);
  return (
    <>
      <div className="board-top">
        <label className="check">
          <input type="checkbox" checked={showsAll} onChange={({ target }) => setShowsAll(target.checked)} />
          {admin.showAll}
        </label>
        {showsAll && <Purge />}
        <button type="button" className="main" onClick={() => setOpened("new")}>
          {admin.mint}
        </button>
      </div>
      <Answer of={tokens}>
        {(all) => (
          <Table
            name={admin.tokens}
            heads={[admin.agent, admin.owner, admin.rooms, admin.rights, admin.state2, admin.used, admin.where, ""]}
            rows={all.map((token) => ({
              key: token.id,
              isQuiet: token.state !== "live",
              cells: cellsOf(token, () => setOpened(token)),
            }))}
          />
        )}
      </Answer>
      {opened === "new" && <NewToken onClose={onClose} />}
      {opened !== undefined && opened !== "new" && <Revoke token={opened} onClose={onClose} />}
    </>
  );
}

function cellsOf(token: Token, onRevoke: () => void) {
  const { agent, owner, label, rooms, roles, all_rooms, state, last_seen, last_address } = token;
  const { admin } = TEXTS;
  return [
    <span key="agent">
      <strong>{agent}</strong> {label && <span className="quiet">{label}</span>}
    </span>,
    owner ?? "",
    all_rooms ? admin.allRooms : rooms.join(", "),
    roles.join(", "),
    state,
    last_seen === null ? admin.never : <Ago key="used" at={last_seen} />,
    last_address ?? "",
    state === "live" && (
      <button key="act" type="button" className="small danger" onClick={onRevoke}>
        {admin.revoke}
      </button>
    ),
  ];
}

function Revoke({ token: { id, agent }, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const { call } = useHub();
  const { admin } = TEXTS;
  const revoke = useCommand(() => call("revoke_token", { token_id: id }), {
    touches: [keys.admin("tokens")],
    done() {
      tell(admin.revoked);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`${admin.revoke}: ${agent}`}
      submit={admin.revoke}
      isDangerous
      isBusy={revoke.isPending}
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>{admin.revokeSure(agent)}</p>
    </FormDialog>
  );
}

/** Old enough (days) that nobody asks any more what became of it. */
const PURGED_AFTER = 30;

function Purge() {
  const { call } = useHub();
  const purge = useCommand(() => call("purge_tokens", { older_than_days: PURGED_AFTER }), {
    touches: [keys.admin("tokens")],
    done: ({ removed }) => tell(TEXTS.admin.purged(removed)),
  });
  return (
    <button type="button" className="small" disabled={purge.isPending} onClick={() => purge.mutate()}>
      {TEXTS.admin.purge}
    </button>
  );
}
