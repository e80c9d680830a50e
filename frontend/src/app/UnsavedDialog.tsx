import { useState } from "react";
import type { DraftInfo } from "../api/conch_pb";
import { moment } from "../lib/format";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { closeDialog, useDialogs } from "../window/dialogs";
import { editFile } from "../window/openFiles";
import { discard, draftsIn, fileOf, withoutAside } from "../workspace/drafts";
import { useWorkspace } from "../workspace/workspace";
import { DraftText } from "./DraftText";
import css from "./UnsavedDialog.module.css";

function Row({ draft }: { draft: DraftInfo }) {
  const { model, missing, changed } = draft;
  const path = withoutAside(draft.path);
  const open = () => {
    closeDialog();
    editFile(model, path);
  };
  const [reading, setReading] = useState(false);
  return (
    <li className={css.draft}>
      <div className={css.row}>
        <span className={css.name}>
          <span className="mono">{fileOf(draft)}</span>
          <span className="dim">
            {missing ? "its model is missing now; the text is kept until the model is back" : moment(changed)}
          </span>
        </span>
        {missing && (
          <Button
            small
            look="ghost"
            aria-label={`${reading ? "Hide" : "Read"} ${fileOf(draft)}`}
            aria-expanded={reading}
            onClick={() => setReading(!reading)}
          >
            {reading ? "Hide" : "Read"}
          </Button>
        )}
        {!missing && (
          <Button small look="ghost" aria-label={`Open ${fileOf(draft)}`} onClick={open}>
            Open
          </Button>
        )}
        <Button
          small
          needs="app"
          aria-label={`Discard ${fileOf(draft)}`}
          onClick={() => void discard([draft])}
        >
          Discard
        </Button>
      </div>
      {missing && reading && <DraftText draft={draft} />}
    </li>
  );
}

/** Every text that is edited and not saved, wherever it is. */
export function UnsavedDialog() {
  const open = useDialogs((dialogs) => dialogs.open === "unsaved");
  const drafts = useWorkspace(draftsIn);
  const trouble = useWorkspace((state) => state.keeping?.text);
  return (
    <Dialog
      open={open}
      title="Unsaved texts"
      description={
        drafts.length === 0
          ? "Everything is saved."
          : (trouble ?? "They are kept when Conch is closed, and come back with the repository.")
      }
      onClose={closeDialog}
      footer={
        <>
          {drafts.length > 0 && (
            <Button needs="app" onClick={() => void discard(drafts)}>
              Discard all
            </Button>
          )}
          <Button look="primary" onClick={closeDialog}>
            Close
          </Button>
        </>
      }
    >
      {drafts.length > 0 && (
        <ul className={css.list}>
          {drafts.map((draft) => (
            <Row key={fileOf(draft)} draft={draft} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}
