import { type ClipboardEvent, useState } from "react";
import { FileButton } from "../files/drop-place.tsx";
import { type Attached, upload } from "../files/upload.ts";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { Icon } from "../ui/icons.tsx";
import { useCommand } from "../use-command.ts";

/** Files for the next message: put into the room when they are chosen, dropped or pasted, named when it is sent. */
export function useAttachments(room: string) {
  const { connection } = useHub();
  const [files, setFiles] = useState<readonly Attached[]>([]);
  const put = useCommand(
    async (chosen: readonly File[]) => {
      const done: Attached[] = [];
      for (const file of chosen) done.push(await upload(connection, room, file));
      return done;
    },
    { touches: [keys.files(room)], done: (more) => setFiles((now) => [...now, ...more]) },
  );
  const onFiles = (chosen: readonly File[]) => chosen.length > 0 && put.mutate(chosen);
  const { files: texts } = TEXTS;
  return {
    ids: files.map(({ id }) => id),
    clear: () => setFiles([]),
    onFiles,
    onPaste(event: ClipboardEvent) {
      if (event.clipboardData.files.length === 0) return;
      event.preventDefault();
      onFiles([...event.clipboardData.files]);
    },
    button: (
      <FileButton onFiles={onFiles} className="bare">
        <Icon name="attach" />
      </FileButton>
    ),
    list: (files.length > 0 || put.isPending) && (
      <ul className="attachments">
        {files.map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              className="chip"
              aria-label={texts.detach(name)}
              onClick={() => setFiles((now) => now.filter((one) => one.id !== id))}
            >
              <Icon name="file" /> <bdi>{name}</bdi> <Icon name="close" />
            </button>
          </li>
        ))}
        {put.isPending && <li className="quiet">{texts.putting}</li>}
      </ul>
    ),
  };
}
