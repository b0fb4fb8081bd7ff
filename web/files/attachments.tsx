import { useHub } from "../hub.ts";
import { Icon } from "../ui/icons.tsx";
import { writtenOut } from "../ui/text.tsx";
import { pathOfFile } from "./upload.ts";
import { useFiles } from "./use-files.ts";

/** The files that belong to a message or a task, by name. */
export function Attachments({ room, ids }: { readonly room: string; readonly ids: readonly number[] }) {
  const { isWall } = useHub();
  const { data } = useFiles(room);
  return (
    <ul className="attachments">
      {ids.map((id) => {
        const name = writtenOut(data?.find((file) => file.id === id)?.name ?? `f${id}`);
        return (
          <li key={id}>
            {isWall ? (
              <span className="chip">{name}</span>
            ) : (
              <a className="chip" href={pathOfFile(room, id)} download>
                <Icon name="file" /> <bdi>{name}</bdi>
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
