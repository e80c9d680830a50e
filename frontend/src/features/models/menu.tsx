import { Copy, FileText, Play, RotateCw, Upload } from "lucide-react";
import { ModelState, type ModelSummary } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { loadModel, reloadModel, unloadModel } from "../../stores/modelActions";
import { goToModel } from "../../stores/place";
import type { MenuGroups } from "../../ui/Menu";

const loaded = new Set([ModelState.READY, ModelState.OLDER_SERVES]);

/** Reports whether some version of the model serves. */
export const isLoaded = (model: ModelSummary): boolean => loaded.has(model.state);

export const cannotRun = (model: ModelSummary): boolean => model.state === ModelState.NOT_RUNNABLE;

/** Unload with the arrow of "eject"; lucide's own has another meaning in other programs. */
export function Eject() {
  return <Upload aria-hidden="true" />;
}

/** What can be done with a model, for its context menu and the one behind the dots. */
export function modelMenu(model: ModelSummary): MenuGroups {
  const { name } = model;
  const off = cannotRun(model);
  return [
    isLoaded(model)
      ? [
          { label: "Reload", icon: <RotateCw />, onSelect: () => void reloadModel(name) },
          { label: "Unload", icon: <Eject />, onSelect: () => void unloadModel(name) },
        ]
      : [
          {
            label: "Load",
            icon: <Play />,
            disabled: off,
            note: off ? model.reason : undefined,
            onSelect: () => void loadModel(name),
          },
        ],
    [
      { label: "Show the config", icon: <FileText />, onSelect: () => goToModel(name, "config") },
      { label: "Copy the name", icon: <Copy />, onSelect: () => void copyText(name) },
      { label: "Copy the folder", icon: <Copy />, onSelect: () => void copyText(model.dir) },
    ],
  ];
}
