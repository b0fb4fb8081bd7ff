import { useState } from "react";
import { mayWrite, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { Ago, Left } from "../ui/moment.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { writtenOut } from "../ui/text.tsx";
import { tell } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { DropPlace, FileButton } from "./drop-place.tsx";
import { sizeOf } from "./size.ts";
import { pathOfFile, upload } from "./upload.ts";
import { type FileRow, useFiles } from "./use-files.ts";

/** A room's files: put by drop or by choice, taken, removed. */
export function Files({ room }: { readonly room: string }) {
  const hub = useHub();
  const files = useFiles(room);
  const { files: texts } = TEXTS;
  const put = useCommand(
    async (chosen: readonly File[]) => {
      for (const file of chosen) await upload(hub.connection, room, file);
      return chosen.length;
    },
    { touches: [keys.files(room)], done: (count) => tell(texts.put(count)) },
  );
  const onFiles = mayWrite(hub) ? (chosen: readonly File[]) => chosen.length > 0 && put.mutate(chosen) : undefined;
  return (
    <DropPlace className="files" onFiles={onFiles}>
      {onFiles && (
        <div className="board-top">
          <span className="quiet">{put.isPending ? texts.putting : texts.hint}</span>
          <FileButton onFiles={onFiles} className="small">
            <Icon name="plus" /> {texts.choose}
          </FileButton>
        </div>
      )}
      <Answer of={files} lines={5}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={texts.empty}>{texts.emptyNext}</Empty>
          ) : (
            <ul className="rows">
              {all.map((file) => (
                <Row key={file.id} room={room} file={file} />
              ))}
            </ul>
          )
        }
      </Answer>
    </DropPlace>
  );
}

function Row({ room, file }: { readonly room: string; readonly file: FileRow }) {
  const hub = useHub();
  const [isRemoving, setRemoving] = useState(false);
  const { id, name, size, author, ts, expires_at } = file;
  const mayRemove = mayWrite(hub) && (author === hub.me.user_id || hub.me.roles.includes("admin"));
  return (
    <li>
      <Icon name="file" />
      <div className="row-text">
        <p className="row-head">
          {hub.isWall ? (
            <bdi>{writtenOut(name)}</bdi>
          ) : (
            <a href={pathOfFile(room, id)} download={name}>
              <bdi>{writtenOut(name)}</bdi>
            </a>
          )}
          <span className="quiet">
            f{id} · {sizeOf(size)}
          </span>
        </p>
        <p className="quiet">
          {author}, <Ago at={ts} />
        </p>
      </div>
      {expires_at !== null && <Left at={expires_at} soon={3_600_000} />}
      {mayRemove && (
        <button type="button" className="small" onClick={() => setRemoving(true)}>
          {TEXTS.files.remove}
        </button>
      )}
      {isRemoving && <Remove room={room} file={file} onClose={() => setRemoving(false)} />}
    </li>
  );
}

function Remove({
  room,
  file,
  onClose,
}: {
  readonly room: string;
  readonly file: FileRow;
  readonly onClose: () => void;
}) {
  const { call } = useHub();
  const { files } = TEXTS;
  const remove = useCommand(() => call("delete_file", { room, file_id: file.id }), {
    touches: [keys.files(room)],
    done: onClose,
  });
  return (
    <FormDialog
      title={`${files.remove} f${file.id}`}
      submit={files.remove}
      isDangerous
      isBusy={remove.isPending}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{files.removeSure(writtenOut(file.name))}</p>
    </FormDialog>
  );
}
