import { useState } from "react";
import { type AnswerOf, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { useRooms } from "../rooms/use-rooms.ts";
import { TEXTS } from "../texts.ts";
import { Copyable } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { textIn } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useCommand } from "../use-command.ts";

type Minted = AnswerOf<"create_token">;

/** Mints a token, and shows once what sets up its machine. */
export function NewToken({ onClose }: { readonly onClose: () => void }) {
  const { call } = useHub();
  const { admin } = TEXTS;
  const mint = useCommand(
    (form: FormData) => {
      const [owner, label, expires] = ["owner", "label", "expires"].map((field) => textIn(form, field).trim());
      return call("create_token", {
        agent: textIn(form, "agent").trim(),
        room: textIn(form, "room"),
        also_rooms: form.getAll("also_rooms").filter((room) => typeof room === "string"),
        readonly: form.has("readonly"),
        admin: form.has("admin"),
        all_rooms: form.has("all_rooms"),
        ...(owner && { owner }),
        ...(label && { label }),
        ...(expires && { expires }),
      });
    },
    { touches: [keys.admin("tokens"), keys.admin("members")] },
  );
  if (mint.data) return <Shown minted={mint.data} onClose={onClose} />;
  return (
    <FormDialog
      title={admin.mint}
      submit={admin.create}
      isBusy={mint.isPending}
      onSubmit={(form) => mint.mutate(form)}
      onClose={onClose}
    >
      <TokenFields />
    </FormDialog>
  );
}

function TokenFields() {
  const rooms = useRooms().data?.map(({ name }) => name) ?? [];
  const [room, setRoom] = useState("");
  const { admin } = TEXTS;
  return (
    <>
      <label htmlFor="agent">{admin.agent}</label>
      <input
        id="agent"
        name="agent"
        required
        maxLength={64}
        autoCapitalize="none"
        spellCheck={false}
        autoComplete="off"
      />
      <label htmlFor="room">{admin.room}</label>
      <select
        key={rooms.length}
        id="room"
        name="room"
        defaultValue={rooms[0]}
        onChange={({ target }) => setRoom(target.value)}
      >
        {rooms.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {rooms.length > 1 && (
        <fieldset>
          <legend>{admin.alsoRooms}</legend>
          {rooms
            .filter((name) => name !== (room || rooms[0]))
            .map((name) => (
              <label key={name} className="check">
                <input type="checkbox" name="also_rooms" value={name} />
                {name}
              </label>
            ))}
        </fieldset>
      )}
      <MoreFields />
    </>
  );
}

function MoreFields() {
  const { admin } = TEXTS;
  return (
    <>
      <fieldset>
        <legend>{admin.rights}</legend>
        <Right name="readonly" text={admin.readOnly} />
        <Right name="admin" text={admin.adminRole} />
        <Right name="all_rooms" text={admin.allRooms} />
        <p className="quiet">{admin.whole}</p>
      </fieldset>
      <label htmlFor="owner">{admin.ownerOptional}</label>
      <input id="owner" name="owner" maxLength={64} autoCapitalize="none" spellCheck={false} autoComplete="off" />
      <label htmlFor="label">{admin.label}</label>
      <input id="label" name="label" maxLength={100} autoComplete="off" />
      <label htmlFor="expires">{admin.expires}</label>
      <select id="expires" name="expires" defaultValue="90d">
        {Object.entries(admin.expiry).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </>
  );
}

function Right({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <label className="check">
      <input type="checkbox" name={name} />
      {text}
    </label>
  );
}

/** The only time that it is seen. It is nowhere but on this page, and gone with it. */
function Shown({
  minted: { agent, token, setup },
  onClose,
}: {
  readonly minted: Minted;
  readonly onClose: () => void;
}) {
  const { admin } = TEXTS;
  const [way, setWay] = useState<"lan" | "public">(setup?.prefer ?? "lan");
  const set = setup?.[way] ?? setup?.lan;
  return (
    <Dialog title={admin.minted(agent)} onClose={onClose}>
      <p className="note warn">{admin.shownOnce}</p>
      {token !== null && <Copyable label={admin.tokenText} text={token} />}
      {setup?.public && (
        <div className="options" role="group" aria-label={admin.address}>
          {(["lan", "public"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={way === one} onClick={() => setWay(one)}>
              {admin.addresses[one]}
            </button>
          ))}
        </div>
      )}
      {set && (
        <>
          <Copyable label={admin.connectCommand} text={set.connect} />
          <Copyable label={admin.claudeCli} text={set.claude_cli} />
          <Copyable label={admin.pluginInstall} text={set.plugin_install} />
          <Copyable label={admin.mcpJson} text={set.mcp_json} />
          <Copyable label={admin.brief} text={set.agent_brief} />
        </>
      )}
      {setup?.public_hint && <p className="quiet">{setup.public_hint}</p>}
    </Dialog>
  );
}
