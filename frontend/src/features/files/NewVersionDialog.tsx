import { useState } from "react";
import { clients } from "../../api/client";
import { openedRepository } from "../../workspace/workspace";
import { AskDialog } from "./AskDialog";
import css from "./files.module.css";
import type { NewDialogProps } from "./NewFileDialog";
import { versionsOf } from "./versions";

function problemOf(number: string, versions: readonly number[]): string | undefined {
  if (number === "") return undefined;
  if (!/^[1-9]\d*$/.test(number)) return "A version is a whole number from 1 on";
  return versions.includes(Number(number)) ? `There is a version ${number} already` : undefined;
}

/** Makes a version folder, which is empty. */
export function NewVersionDialog({ model, files, onClose }: NewDialogProps) {
  const versions = versionsOf(files);
  const [number, setNumber] = useState(String((versions.at(-1) ?? 0) + 1));
  const run = async () => {
    await clients.editor.createFolder({ model, path: number, repository: openedRepository() });
    onClose();
  };
  return (
    <AskDialog
      title="New version"
      label="Number"
      value={number}
      onChange={setNumber}
      problem={problemOf(number, versions)}
      unfinished={number === ""}
      action={`Create ${number}/`}
      failed="The version folder was not created"
      run={run}
      onClose={onClose}
    >
      <p className={css.hint}>
        The folder is empty: add the model file next. Unless the config says otherwise, the highest version is
        served. The one before goes on serving until the new one is loaded.
      </p>
    </AskDialog>
  );
}
