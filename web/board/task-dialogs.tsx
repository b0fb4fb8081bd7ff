import { type Task, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { tell, tellProblem } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { readFields, TaskFields } from "./task-fields.tsx";

interface TaskDialogProps {
  readonly room: string;
  readonly task: Task;
  readonly onClose: () => void;
}

export function NewTask({ room, onClose }: Omit<TaskDialogProps, "task">) {
  const { call } = useHub();
  const create = useCommand(
    (form: FormData) => {
      const { assignee, responsible, reviewer, ...fields } = readFields(form);
      const named = Object.entries({ assignee, responsible, reviewer }).filter(([, handle]) => handle !== "");
      return call("create_task", { room, ...fields, ...Object.fromEntries(named) });
    },
    {
      touches: [keys.tasks(room)],
      done({ created }) {
        tell(TEXTS.board.created(created.id));
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={TEXTS.board.add}
      submit={TEXTS.board.create}
      isBusy={create.isPending}
      onSubmit={(form) => create.mutate(form)}
      onClose={onClose}
    >
      <TaskFields room={room} />
    </FormDialog>
  );
}

/** Written under the version that was opened, so nobody's change is lost unseen. */
export function EditTask({ room, task, onClose }: TaskDialogProps) {
  const { call } = useHub();
  const save = useCommand(
    (form: FormData) => {
      const { assignee: _, ...fields } = readFields(form);
      return call("update_task", { room, task_id: task.id, ...fields, expected_version: task.version });
    },
    {
      touches: [keys.task(room, task.id), keys.tasks(room)],
      done({ updated }) {
        if (updated) tell(TEXTS.board.saved);
        else tellProblem(new Error(TEXTS.board.stale));
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`${TEXTS.board.edit} #${task.id}`}
      submit={TEXTS.save}
      isBusy={save.isPending}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <TaskFields room={room} task={task} />
    </FormDialog>
  );
}

export function TakeOver({ room, task, onClose }: TaskDialogProps) {
  const { call } = useHub();
  const { board } = TEXTS;
  const take = useCommand(() => call("claim_task", { room, task_id: task.id, take_over: true }), {
    touches: [keys.task(room, task.id), keys.tasks(room)],
    done({ claimed, reason }) {
      if (claimed) tell(board.moved(task.id, board.statuses.in_progress));
      else tellProblem(new Error(reason));
      onClose();
    },
  });
  return (
    <FormDialog
      title={`${board.takeOver} #${task.id}`}
      submit={board.takeOver}
      isDangerous
      isBusy={take.isPending}
      onSubmit={() => take.mutate()}
      onClose={onClose}
    >
      <p>{board.takeOverSure(task.assignee ?? "")}</p>
    </FormDialog>
  );
}
