import { Copy, FileText, Minimize2, PencilLine, Play, RotateCw, Trash2 } from "lucide-react";
import { ModelState, type ModelSummary } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import type { MenuGroups } from "../../ui/Menu";
import { askDelete, openDialog } from "../../window/dialogs";
import { keys, listKeys, readable } from "../../window/keys";
import { goToModel } from "../../window/place";
import { askUnload, loadModel, reloadModel, setReload } from "../../workspace/modelActions";

const loaded = new Set([ModelState.READY, ModelState.OLDER_SERVES, ModelState.DIED]);

/** Reports whether some version of the model serves, or does again when its processes are started again. */
export const isLoaded = (model: ModelSummary): boolean => loaded.has(model.state);

/** Reports whether it is on its way into the engine or out of it. */
export const isMoving = (model: ModelSummary): boolean =>
  model.state === ModelState.LOADING || model.state === ModelState.UNLOADING;

/** Reports whether it is no use to load it: the engine lacks its backend, or does not answer. */
export const cannotRun = (model: ModelSummary): boolean =>
  model.state === ModelState.NOT_RUNNABLE || model.state === ModelState.UNSPECIFIED;

/** Reports whether it can become FP16, INT8 or a plan of TensorRT. */
export const isConvertible = ({ kind, servedOnly }: ModelSummary): boolean => kind === "ONNX" && !servedOnly;

/** The sign of "unload": what a player draws on the key that gives the disc back. */
export function Eject() {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M6 15h12l-6-8.25zM6 19.5h12" />
    </svg>
  );
}

/** What can happen when a model's files are saved. */
export const reloads = [
  { value: "on-save", label: "Load changed files at once" },
  { value: "ask", label: "Say when files change" },
  { value: "off", label: "Ignore changed files" },
];

/** What saved files do; nothing to choose while the engine has not said what is in force. */
const reloadMenu = ({ name, reload }: ModelSummary) =>
  reload === ""
    ? []
    : reloads.map(({ value, label }) => ({
        label,
        checked: reload === value,
        needs: "engine" as const,
        onSelect: () => void setReload(name, value),
      }));

/** What the dots beside the buttons of a model hold: what these buttons do is not offered twice. */
export const moreMenu = (model: ModelSummary): MenuGroups => modelMenu(model).slice(1);

/** What can be done with a model: its context menu. */
export function modelMenu(model: ModelSummary): MenuGroups {
  const { name } = model;
  const off = cannotRun(model);
  return [
    isLoaded(model)
      ? [
          { label: "Reload", icon: <RotateCw />, needs: "engine", onSelect: () => void reloadModel(name) },
          { label: "Unload", icon: <Eject />, needs: "engine", onSelect: () => askUnload(name) },
        ]
      : [
          {
            label: "Load",
            icon: <Play />,
            needs: "engine",
            disabled: off,
            note: off ? model.reason : model.lacks || undefined,
            onSelect: () => void loadModel(name),
          },
        ],
    isLoaded(model) ? reloadMenu(model) : [],
    [
      {
        label: "Rename…",
        icon: <PencilLine />,
        needs: "app",
        shortcut: readable(keys.rename),
        onSelect: () => openDialog("renameModel", name),
      },
      ...(isConvertible(model)
        ? [
            {
              label: "Convert…",
              icon: <Minimize2 />,
              needs: "app" as const,
              onSelect: () => openDialog("convert", name),
            },
          ]
        : []),
      { label: "Show the config", icon: <FileText />, onSelect: () => goToModel(name, "config") },
      { label: "Copy the name", icon: <Copy />, onSelect: () => void copyText(name) },
      { label: "Copy the folder", icon: <Copy />, onSelect: () => void copyText(model.dir) },
    ],
    model.servedOnly
      ? []
      : [
          {
            label: "Delete…",
            icon: <Trash2 />,
            needs: "app",
            shortcut: readable(listKeys.remove),
            onSelect: () => askDelete(name),
          },
        ],
  ];
}
