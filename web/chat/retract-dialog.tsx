import { useQueryClient } from "@tanstack/react-query";
import { type Message, useHub } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useCommand } from "../use-command.ts";
import { refreshMessage } from "./messages.ts";

interface RetractDialogProps {
  readonly room: string;
  readonly message: Message;
  readonly onClose: () => void;
}

export function RetractDialog({ room, message, onClose }: RetractDialogProps) {
  const hub = useHub();
  const queries = useQueryClient();
  const { chat } = TEXTS;
  const retract = useCommand(() => hub.call("retract_message", { room, message_id: message.id }), {
    done() {
      onClose();
      void refreshMessage(hub, queries, room, message.id);
    },
  });
  return (
    <FormDialog
      title={`${chat.retract} m${message.id}`}
      submit={chat.retract}
      isDangerous
      isBusy={retract.isPending}
      onSubmit={() => retract.mutate()}
      onClose={onClose}
    >
      <p>{chat.retractSure}</p>
    </FormDialog>
  );
}
