import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AnswerOf, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { useRooms } from "../rooms/use-rooms.ts";
import { TEXTS } from "../texts.ts";
import { Copyable } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { textIn } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { useCommand } from "../use-command.ts";

type Hook = AnswerOf<"list_hooks">["hooks"][number];
const KEY = keys.admin("hooks");

/** What goes out of the organization by itself and what comes in. */
export function Hooks() {
  const { call } = useHub();
  const hooks = useQuery({ queryKey: KEY, queryFn: () => call("list_hooks", {}) });
  const [opened, setOpened] = useState<"out" | "in" | Hook>();
  const { hooks: texts } = TEXTS;
  const onClose = () => setOpened(undefined);
  return (
    <>
      <div className="board-top">
        <button type="button" onClick={() => setOpened("in")}>
          {texts.newIn}
        </button>
        <button type="button" className="main" onClick={() => setOpened("out")}>
          {texts.newOut}
        </button>
      </div>
      <Answer of={hooks}>
        {({ hooks: all }) =>
          all.length === 0 ? <Empty title={texts.none} /> : <HookTable hooks={all} onDelete={setOpened} />
        }
      </Answer>
      {(opened === "out" || opened === "in") && <NewHook direction={opened} onClose={onClose} />}
      {typeof opened === "object" && <DeleteHook hook={opened} onClose={onClose} />}
    </>
  );
}

function HookTable({ hooks, onDelete }: { readonly hooks: readonly Hook[]; readonly onDelete: (hook: Hook) => void }) {
  const { hooks: texts, admin } = TEXTS;
  return (
    <Table
      name={admin.hooks}
      heads={[texts.direction, texts.label, admin.rooms, texts.address, admin.state2, ""]}
      rows={hooks.map((hook) => ({
        key: hook.id,
        isQuiet: hook.state === "disabled",
        cells: [
          texts.directions[hook.direction],
          hook.label,
          hook.room ?? admin.allRooms,
          hook.url,
          <span key="state" title={hook.disabled_reason ?? hook.last_problem ?? ""}>
            {texts.states[hook.state]}
          </span>,
          <button key="act" type="button" className="small danger" onClick={() => onDelete(hook)}>
            {admin.delete}
          </button>,
        ],
      }))}
    />
  );
}

interface NewHookProps {
  readonly direction: "out" | "in";
  readonly onClose: () => void;
}

function NewHook({ direction, onClose }: NewHookProps) {
  const { call } = useHub();
  const { hooks: texts, admin } = TEXTS;
  const create = useCommand(
    (form: FormData) => {
      const [room, url, author, label] = ["room", "url", "author", "label"].map((name) => textIn(form, name).trim());
      return call("create_hook", {
        direction,
        ...(label && { label }),
        ...(room && { room }),
        ...(direction === "out" ? { url } : { author, form: textIn(form, "form") === "github" ? "github" : "plain" }),
      });
    },
    { touches: [KEY] },
  );
  if (create.data) {
    const { hook, secret } = create.data;
    return (
      <Dialog title={texts.made} onClose={onClose}>
        <p className="note warn">{admin.shownOnce}</p>
        {direction === "in" && <Copyable label={texts.address} text={hook.url} />}
        {secret !== null && <Copyable label={texts.secret} text={secret} />}
      </Dialog>
    );
  }
  const title = direction === "out" ? texts.newOut : texts.newIn;
  return (
    <FormDialog
      title={title}
      submit={admin.create}
      isBusy={create.isPending}
      onSubmit={(form) => create.mutate(form)}
      onClose={onClose}
    >
      <HookFields direction={direction} />
    </FormDialog>
  );
}

function HookFields({ direction }: Pick<NewHookProps, "direction">) {
  const rooms = useRooms().data?.map(({ name }) => name) ?? [];
  const { hooks: texts, admin } = TEXTS;
  return (
    <>
      {direction === "out" ? (
        <>
          <label htmlFor="url">{texts.url}</label>
          <input id="url" name="url" type="url" required placeholder="https://" />
        </>
      ) : (
        <>
          <label htmlFor="author">{texts.author}</label>
          <input id="author" name="author" required maxLength={64} autoCapitalize="none" spellCheck={false} />
          <label htmlFor="form">{texts.form}</label>
          <select id="form" name="form">
            <option value="plain">{texts.forms.plain}</option>
            <option value="github">{texts.forms.github}</option>
          </select>
        </>
      )}
      <label htmlFor="room">{admin.room}</label>
      <select key={rooms.length} id="room" name="room" required={direction === "in"}>
        {direction === "out" && <option value="">{admin.allRooms}</option>}
        {rooms.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <label htmlFor="label">{admin.label}</label>
      <input id="label" name="label" maxLength={100} autoComplete="off" />
    </>
  );
}

function DeleteHook({ hook, onClose }: { readonly hook: Hook; readonly onClose: () => void }) {
  const { call } = useHub();
  const { hooks: texts, admin } = TEXTS;
  const remove = useCommand(() => call("delete_hook", { hook_id: hook.id }), { touches: [KEY], done: onClose });
  return (
    <FormDialog
      title={`${admin.delete}: ${hook.label || hook.url}`}
      submit={admin.delete}
      isDangerous
      isBusy={remove.isPending}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{texts.deleteSure}</p>
    </FormDialog>
  );
}
