import { clients } from "../../api/client";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { RenameForm } from "./RenameForm";

/** Another name for a model: its folder, and every config that names it. */
export function RenameModelDialog() {
  const model = useDialogs((state) => state.model) ?? "";
  return (
    <Dialog open wide title={<Named text={`Rename model ${model}`} names={[model]} />} onClose={closeDialog}>
      <RenameForm
        key={model}
        old={model}
        about={["model", model]}
        plan={(name, signal) => clients.editor.planRename({ model, wholeModel: true, name }, { signal })}
        onClose={closeDialog}
      />
    </Dialog>
  );
}
