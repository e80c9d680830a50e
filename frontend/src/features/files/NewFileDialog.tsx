import { useState } from "react";
import { clients } from "../../api/client";
import type { FileProblems, ModelFile } from "../../api/conch_pb";
import { openFile } from "../../window/openFiles";
import { useFindings } from "../../workspace/findings";
import { openedRepository } from "../../workspace/workspace";
import { AskDialog } from "./AskDialog";
import css from "./files.module.css";
import { newestFolder } from "./versions";

export interface NewDialogProps {
  model: string;
  files: readonly ModelFile[];
  onClose: () => void;
}

/** The file that a fix of the model writes, where one has such a path: the program of a Python model. */
export const firstFile = (
  problems: readonly FileProblems[],
  model: string,
  fits: (path: string) => boolean,
) =>
  problems
    .filter((file) => file.model === model)
    .flatMap(({ diagnostics }) => diagnostics)
    .flatMap(({ fixes }) => fixes)
    .find(({ file }) => file !== undefined && fits(file.path))?.file;

/** Makes a text file in the model's folder, and opens it in the editor. */
export function NewFileDialog({ model, files, onClose }: NewDialogProps) {
  const [path, setPath] = useState(`${newestFolder(files)}/`);
  const problems = useFindings();
  const text = firstFile(problems, model, (one) => one === path)?.text ?? "";
  const run = async () => {
    await clients.editor.createFile({ model, path, text, repository: openedRepository() });
    onClose();
    openFile(model, path);
  };
  return (
    <AskDialog
      title="New file"
      label={`Path in ${model}/`}
      value={path}
      onChange={setPath}
      problem={files.some((file) => file.path === path) ? `There is a file ${path} already` : undefined}
      unfinished={path === "" || path.endsWith("/")}
      action="Create and open"
      failed="The file was not created"
      run={run}
      onClose={onClose}
    >
      <p className={css.hint}>
        {text === ""
          ? "It is empty, and opens in the editor. Folders on its way are made."
          : "It begins with a program that loads and answers, and opens in the editor."}
      </p>
    </AskDialog>
  );
}
