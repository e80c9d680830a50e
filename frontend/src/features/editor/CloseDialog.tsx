import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { closeFiles } from "../../window/openFiles";
import { openSession } from "./sessions";

interface CloseDialogProps {
  model: string;
  path: string;
  onClose: () => void;
}

/** Asks before the only text of a file that was deleted on disk goes with its tab. */
export function CloseDialog({ model, path, onClose }: CloseDialogProps) {
  const close = () => {
    onClose();
    closeFiles(model, path);
  };
  const putBack = () => {
    onClose();
    void openSession({ model, path })?.putBack();
  };
  return (
    <Dialog
      open
      title={<Named text={`Close ${path}?`} names={[path]} />}
      onClose={onClose}
      footer={
        <>
          <Button autoFocus onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" onClick={close}>
            Close and lose the text
          </Button>
          <Button look="primary" needs="app" onClick={putBack}>
            Put back what was here
          </Button>
        </>
      }
    >
      <p>It was deleted on disk, and its text is in this page alone: it is lost when you close it.</p>
    </Dialog>
  );
}
