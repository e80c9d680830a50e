import { useStore } from "zustand";
import { clients } from "../../api/client";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { RenameForm } from "./RenameForm";
import type { Session } from "./session";

/** Another name for what the cursor is on, wherever it is used. */
export function RenameDialog({ session }: { session: Session }) {
  const dialog = useStore(session.store, (state) => state.dialog);
  if (dialog?.kind !== "rename") return null;
  const { answer, text, offset } = dialog.name;
  const { file } = session;
  const close = () => session.close("dialog");
  return (
    <Dialog
      open
      wide
      title={<Named text={`Rename ${answer.title}`} names={[`"${answer.name}"`, file.model]} />}
      description={answer.fixed || undefined}
      onClose={close}
    >
      {answer.fixed === "" && (
        <RenameForm
          old={answer.name}
          about={[file.model, file.path, offset, text]}
          plan={(name, signal) => clients.editor.planRename({ ...file, text, offset, name }, { signal })}
          onClose={close}
        />
      )}
    </Dialog>
  );
}
