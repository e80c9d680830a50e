import { Dialog } from "../ui/Dialog";
import { KeyHint } from "../ui/KeyHint";
import { closeDialog, useDialogs } from "../window/dialogs";
import { keyGroups, readable } from "../window/keys";
import css from "./KeysDialog.module.css";

/** All keys, from the table that binds them. */
export function KeysDialog() {
  const open = useDialogs((state) => state.open === "keys");
  return (
    <Dialog title="Keys" open={open} onClose={closeDialog} wide reads>
      <div className={css.groups}>
        {keyGroups.map(({ name, keys }) => (
          <div key={name}>
            <h3>{name}</h3>
            <ul>
              {keys.map((key) => (
                <li key={key.press}>
                  {key.does} <KeyHint keys={readable(key)} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Dialog>
  );
}
