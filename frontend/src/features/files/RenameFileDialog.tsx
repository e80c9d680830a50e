import { useState } from "react";
import { ModelState } from "../../api/conch_pb";
import { useModel } from "../../api/queries";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { draftOf } from "../../workspace/drafts";
import { moveThing } from "../../workspace/making";
import { useModelSummary } from "../../workspace/workspace";
import { AskDialog } from "./AskDialog";
import { configText, keepsText, usePlan } from "./DeleteDialog";
import css from "./files.module.css";
import { pathProblem } from "./paths";

/** Gives a file of a model another path in the model's folder, once a person has seen what that means for what is loaded. */
export function RenameFileDialog() {
  const model = useDialogs((state) => state.model) ?? "";
  const path = useDialogs((state) => state.path) ?? "";
  return <Question key={`${model}/${path}`} model={model} path={path} />;
}

function Question({ model, path }: { model: string; path: string }) {
  const [to, setTo] = useState(path);
  const files = useModel(model).data?.files ?? [];
  const summary = useModelSummary(model);
  const { data: plan } = usePlan(model, path);
  const needed = plan && configText(plan);
  const isLoaded = summary?.state === ModelState.READY || summary?.state === ModelState.OLDER_SERVES;
  const taken = to !== path && files.some((file) => file.path === to || file.path.startsWith(`${to}/`));
  return (
    <AskDialog
      title="Rename or move"
      label={`Path in ${model}/`}
      names={[`${model}/`]}
      value={to}
      onChange={setTo}
      problem={taken ? `There is a ${to} already` : pathProblem(model, to)}
      unfinished={to === "" || to === path}
      action="Rename"
      failed={`${model}/${path} was not renamed`}
      run={async () => {
        await moveThing(model, path, to);
        closeDialog();
      }}
      onClose={closeDialog}
    >
      <p className={css.hint}>
        A path with another folder moves the file there. Folders on its way are made. What exists is not
        replaced.
      </p>
      {needed && <p className={css.hint}>{needed}</p>}
      {isLoaded && <p className={css.hint}>{keepsText(model, summary.reload)}</p>}
      {draftOf(model, path) && <p className={css.hint}>Its unsaved text goes with it.</p>}
    </AskDialog>
  );
}
