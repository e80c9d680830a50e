import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { servingWith, unloadModel } from "../../workspace/modelActions";
import css from "./NewModelDialog.module.css";

/** What stops serving with a model, before it is unloaded. */
export function UnloadDialog() {
  const model = useDialogs(({ open, model }) => (open === "unload" ? model : undefined));
  if (model === undefined) return null;
  const users = servingWith(model);
  const unload = () => {
    closeDialog();
    void unloadModel(model);
  };
  return (
    <Dialog
      open
      title={<Named text={`Unload ${model}?`} names={[model]} />}
      description={`${users.length === 1 ? "This ensemble is" : "These ensembles are"} made of it, and cannot serve until it is loaded again:`}
      onClose={closeDialog}
      footer={
        <>
          <Button onClick={closeDialog}>Cancel</Button>
          <Button look="primary" needs="engine" autoFocus onClick={unload}>
            <Named text={`Unload ${model}`} names={[model]} />
          </Button>
        </>
      }
    >
      <ul className={css.users}>
        {users.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
