import { useState } from "react";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Named } from "../../ui/Named";
import { Added } from "./Added";
import { AskDialog } from "./AskDialog";
import type { NewDialogProps } from "./NewFileDialog";
import { namesIn, useModelNames } from "./names";
import { useAdding } from "./useAdding";
import { folderFor } from "./versions";

type AddProps = NewDialogProps & {
  readonly adding: readonly File[];
  /** Makes a version of the files instead. */
  readonly onVersion: () => void;
};

/** Copies files of this machine into a folder of the model. */
export function AddFilesDialog({ model, files, adding, onVersion, onClose }: AddProps) {
  const meant = folderFor(
    adding.map(({ name }) => name),
    files,
  );
  const [folder, setFolder] = useState(meant);
  const { sent, add } = useAdding(model, adding);
  const into = folder === "" ? "" : `${folder.replace(/\/+$/, "")}/`;
  const names = namesIn(into.slice(0, -1), adding, files, useModelNames(model));
  const taken = names.find((name) => files.some(({ path }) => path === into + name));
  const run = async () => {
    if (await add(into.slice(0, -1), names)) onClose();
  };
  return (
    <AskDialog
      title={`Add ${count(adding.length, "file")}`}
      label={`Folder in ${model}/`}
      names={[`${model}/`]}
      value={folder}
      onChange={setFolder}
      problem={taken && `There is a file ${into}${taken} already`}
      unfinished={false}
      action="Add"
      failed={`${adding.length === 1 ? "The file was" : "The files were"} not added`}
      run={run}
      onClose={onClose}
    >
      <Added
        files={adding}
        names={names}
        into={into}
        sent={sent}
        hint="They are copied. Without a folder they lie beside the config. What exists is not replaced."
      />
      {meant !== "" && (
        <div>
          <Button small disabled={sent !== undefined} onClick={onVersion}>
            <Named text={`New version of ${model}…`} names={[model]} />
          </Button>
        </div>
      )}
    </AskDialog>
  );
}
