import { useState } from "react";
import { clients } from "../../api/client";
import type { FileProblems, ModelFile } from "../../api/conch_pb";
import { openToType } from "../../window/openFiles";
import { useFindings } from "../../workspace/findings";
import { openedRepository } from "../../workspace/workspace";
import { AskDialog } from "./AskDialog";
import css from "./files.module.css";
import { pathProblem } from "./paths";
import { newestFolder } from "./versions";

export interface NewDialogProps {
  model: string;
  files: readonly ModelFile[];
  onClose: () => void;
}

/** The file that a first fix of the model writes, where one has such a path: the program of a Python model, or labels. */
export const firstFile = (
  problems: readonly FileProblems[],
  model: string,
  fits: (path: string) => boolean,
) =>
  problems
    .filter((file) => file.model === model)
    .flatMap(({ diagnostics }) => diagnostics)
    .flatMap(({ fixes: [first] }) => first?.file ?? [])
    .find(({ path }) => fits(path));

/** Where a file is lacking: the file that a fix writes, a newest version without a file, or else the model's own folder. */
function beginning(files: readonly ModelFile[], written: string | undefined): string {
  const folder = `${newestFolder(files)}/`;
  const hasFile = files.some(({ path }) => path.startsWith(folder) && path !== folder);
  return written ?? (hasFile ? "" : folder);
}

/** Makes a text file in the model's folder, and opens it in the editor. */
export function NewFileDialog({ model, files, onClose }: NewDialogProps) {
  const problems = useFindings();
  const [typed, setPath] = useState<string>();
  const path = typed ?? beginning(files, firstFile(problems, model, () => true)?.path);
  const text = firstFile(problems, model, (one) => one === path)?.text ?? "";
  const isThere = files.some((file) => file.path === path);
  const run = async () => {
    await clients.editor.createFile({ model, path, text, repository: openedRepository() });
    onClose();
    openToType(model, path);
  };
  return (
    <AskDialog
      title="New file"
      label={`Path in ${model}/`}
      names={[`${model}/`]}
      value={path}
      onChange={setPath}
      problem={isThere ? `There is a file ${path} already` : typed && pathProblem(model, typed)}
      unfinished={path === "" || path.endsWith("/")}
      action="Create and open"
      failed="The file was not created"
      run={run}
      onClose={onClose}
    >
      <p className={css.hint}>
        {text === ""
          ? "It is empty, and opens in the editor. Folders on its way are made."
          : path.endsWith(".py")
            ? "It begins with a program that loads and answers, and opens in the editor."
            : "It begins with a line for each label, and opens in the editor."}
      </p>
    </AskDialog>
  );
}
