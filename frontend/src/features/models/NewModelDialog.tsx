import { type FormEvent, useState } from "react";
import { clients } from "../../api/client";
import { useKinds } from "../../api/queries";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/TextField";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { goToModel } from "../../window/place";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useModelSummary } from "../../workspace/workspace";
import css from "./NewModelDialog.module.css";

/** What a folder can be called and still be asked for in a URL. */
function nameProblem(name: string): string | undefined {
  if (name === "") return undefined;
  if (/[\\/\s]/.test(name))
    return "A name has no spaces and no slashes: it is the folder's name and part of every URL";
  if (name.startsWith(".")) return "A name that begins with a dot is ignored by the repository scan";
  return undefined;
}

function NewModelForm() {
  const [name, setName] = useState("");
  const { data } = useKinds();
  const kinds = data?.kinds ?? [];
  const [chosen, setChosen] = useState<string>();
  const backend = chosen ?? kinds[0]?.backend ?? "";
  const [error, setError] = useState<unknown>();
  const taken = useModelSummary(name) !== undefined;
  const problem = taken ? `There is a model "${name}" already` : nameProblem(name);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await clients.models.createModel({ name, backend });
      closeDialog();
      goToModel(name, "config");
    } catch (refused) {
      setError(refused);
    }
  };
  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      <label className={css.field} htmlFor="new-model-name">
        <span>Name</span>
        <TextField
          id="new-model-name"
          autoFocus
          value={name}
          invalid={problem !== undefined}
          placeholder="my_model"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <p className={css.problem} role="status">
        {problem}
      </p>
      <fieldset className={css.kinds}>
        <legend>Kind</legend>
        {kinds.map(({ backend: value, label, note }) => (
          <label key={value} className={css.kind}>
            <input
              type="radio"
              name="backend"
              value={value}
              checked={backend === value}
              onChange={() => setChosen(value)}
            />
            <span>
              {label}
              <small>{note}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {error !== undefined && <ErrorBox title="The model was not created" error={error} />}
      <div className={css.actions}>
        <Button onClick={closeDialog}>Cancel</Button>
        <Button look="primary" type="submit" needs="app" disabled={name === "" || problem !== undefined}>
          Create
        </Button>
      </div>
    </form>
  );
}

/** Makes the folder of a new model with a config to begin from. */
export function NewModelDialog() {
  const open = useDialogs((dialogs) => dialogs.open === "newModel");
  return (
    <Dialog
      title="New model"
      description="Makes a folder with a config.pbtxt to begin from and an empty version 1."
      open={open}
      onClose={closeDialog}
    >
      <NewModelForm />
    </Dialog>
  );
}
