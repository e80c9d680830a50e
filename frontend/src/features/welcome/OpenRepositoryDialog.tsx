import { type FormEvent, useState } from "react";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/TextField";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { ErrorBox } from "../../workspace/ErrorBox";
import { folderPicker, type Refusal, tryOpenRepository } from "../../workspace/openRepository";
import { Folders } from "./Folders";
import css from "./welcome.module.css";

function OpenForm({ onClose }: { onClose: () => void }) {
  const [path, setPath] = useState("");
  const [refused, setRefused] = useState<Refusal>();
  const [busy, setBusy] = useState(false);
  const pick = folderPicker("Open a model repository");
  const open = async (chosen: string) => {
    setBusy(true);
    const why = await tryOpenRepository(chosen.trim());
    setBusy(false);
    setRefused(why);
    if (why === undefined) onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void open(path);
  };
  const browse = async () => {
    const chosen = (await pick?.()) ?? "";
    if (chosen !== "") await open(chosen);
  };
  return (
    <form onSubmit={submit} className={css.form}>
      <div className={css.line}>
        <TextField
          autoFocus
          aria-label="Folder"
          placeholder="/path/to/model_repository"
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
        {pick && <Button onClick={() => void browse()}>Browse…</Button>}
        <Button look="primary" type="submit" needs="app" disabled={busy || path.trim() === ""}>
          Open
        </Button>
      </div>
      <Folders path={path} onChoose={setPath} />
      {refused && (
        <ErrorBox title="The folder was not opened" error={refused.why}>
          {refused.instead && (
            <Button small onClick={() => void open(refused.instead ?? "")}>
              Open {refused.instead}
            </Button>
          )}
        </ErrorBox>
      )}
    </form>
  );
}

/** Asks for the folder of another repository. */
export function OpenRepositoryDialog() {
  const open = useDialogs((dialogs) => dialogs.open === "openRepository");
  return (
    <Dialog
      title="Open a model repository"
      description="The folder that holds one folder for each model, as given to Triton with --model-repository."
      open={open}
      onClose={closeDialog}
    >
      <OpenForm onClose={closeDialog} />
    </Dialog>
  );
}
