import { memo } from "react";
import { ModelState, type ModelSummary } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { ContextMenu } from "../../ui/Menu";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { askDelete, openDialog } from "../../window/dialogs";
import { isPress, keys, listKeys } from "../../window/keys";
import { goToModel } from "../../window/place";
import { hasDraft } from "../../workspace/drafts";
import { useBetterReason } from "../../workspace/findings";
import { LoadUnderWay } from "../../workspace/LoadUnderWay";
import { LostGpuMark } from "../../workspace/LostGpu";
import { ProblemBadge } from "../../workspace/ProblemBadge";
import { StateIcon } from "../../workspace/StateIcon";
import { WrongModels } from "../../workspace/WrongModels";
import { useWorkspace, whyOff } from "../../workspace/workspace";
import { isLoaded, modelMenu } from "./menu";
import css from "./Sidebar.module.css";
import { versionTag } from "./versions";

/** The version that serves; of several the newest, and how many more. */
function VersionTag({ versions, state }: ModelSummary) {
  if (state === ModelState.NOT_RUNNABLE) return null; // none serves, and the kind needs the room
  const { text, title } = versionTag(versions);
  return (
    text !== "" && (
      <span className={css.version} title={title}>
        {text}
      </span>
    )
  );
}

function Kind({ model }: { model: ModelSummary }) {
  if (model.wrongModels.length > 0) return null; // the mark is there
  if (model.loadingSince > 0n) return null; // how long it has been loading is there
  if (model.state === ModelState.NOT_RUNNABLE)
    return (
      <span className={css.kind} title={model.reason}>
        no {model.kind} here
      </span>
    );
  if (model.ensemble) return null; // the head of the group says it, and long names need the room
  return <span className={css.kind}>{model.kind}</span>;
}

export interface ModelRowProps {
  model: ModelSummary;
  selected: boolean;
  /** The row that Tab reaches; arrows move on from there. */
  tabbable: boolean;
}

/** One model in the sidebar: state, name, kind or problems. */
export const ModelRow = memo(function ModelRow({ model, selected, tabbable }: ModelRowProps) {
  const edited = useWorkspace((state) => hasDraft(state, model.name));
  const useful = useBetterReason(model);
  return (
    <ContextMenu groups={modelMenu(model)}>
      <button
        type="button"
        role="option"
        aria-selected={selected}
        data-model={model.name}
        tabIndex={tabbable ? 0 : -1}
        className={cx(css.row, selected && css.selected, !isLoaded(model) && css.off)}
        onClick={() => goToModel(model.name)}
        onKeyDown={(event) => {
          const isDelete =
            isPress(event, listKeys.remove) && !model.servedOnly && whyOff("app") === undefined;
          if (!isDelete && !isPress(event, keys.rename)) return;
          event.preventDefault();
          if (isDelete) askDelete(model.name);
          else openDialog("renameModel", model.name);
        }}
      >
        <StateIcon state={model.state} reason={useful ?? model.reason} since={model.stateSince} />
        <span className={css.name}>
          <MiddleTruncate text={model.name} />
          {edited && (
            <span
              className={css.edited}
              role="img"
              aria-label="Edited, not saved"
              title="Edited, not saved"
            />
          )}
        </span>
        <span className={css.trailing}>
          <LoadUnderWay model={model} />
          <VersionTag {...model} />
          <WrongModels model={model} />
          <LostGpuMark model={model} />
          <Kind model={model} />
          {model.errors + model.warnings > 0 && <ProblemBadge model={model} />}
        </span>
      </button>
    </ContextMenu>
  );
});
