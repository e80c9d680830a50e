/** What the palette does with models. */
import { ModelState, type ModelSummary } from "../api/conch_pb";
import { isConvertible, isLoaded, reloads } from "../features/models/menu";
import { copyText } from "../lib/clipboard";
import { askEditor } from "../window/asked";
import { askDelete, openDialog } from "../window/dialogs";
import { keys, readable } from "../window/keys";
import { openFile } from "../window/openFiles";
import { goToModel } from "../window/place";
import { askUnload, loadModel, reloadModel, setReload, stopLoad } from "../workspace/modelActions";
import { hasProcesses } from "../workspace/workers";
import type { Command } from "./command";
import { loopCommands } from "./loopCommands";

/** One thing that can be done with models. Each that it suits has a command for it, or one for each of its parts. */
export interface ModelAction extends Pick<Command, "words" | "shortcut" | "needs"> {
  label: (name: string, part: string) => string;
  suits?: (model: ModelSummary) => boolean;
  parts?: (model: ModelSummary) => readonly string[];
  run: (model: ModelSummary, part: string) => void;
}

const fileless = new Set(["", "Python", "Identity"]);
const isOurs = ({ servedOnly }: ModelSummary): boolean => !servedOnly;
/** What the config of an ensemble or of a program is compared with is no file that tells of tensors. */
const hasModelFile = (model: ModelSummary): boolean =>
  isOurs(model) && !model.ensemble && !fileless.has(model.kind);
const isComing = ({ state, loadingSince }: ModelSummary): boolean =>
  state === ModelState.LOADING || loadingSince > 0n;

/** The editor is on the first tab, but for an ensemble, whose first tab is its graph. */
function showConfig({ name, ensemble, configPath }: ModelSummary, as: "effective" | "compare"): void {
  openFile(name, configPath || "config.pbtxt");
  goToModel(name, ensemble ? "config" : "try");
  askEditor(as);
}

const lifeActions: readonly ModelAction[] = [
  {
    label: (name) => `Reload ${name}`,
    needs: "engine",
    suits: isLoaded,
    run: ({ name }) => void reloadModel(name),
  },
  {
    label: (name) => `Unload ${name}`,
    needs: "engine",
    suits: isLoaded,
    run: ({ name }) => askUnload(name),
  },
  {
    label: (name) => `Load ${name}`,
    needs: "engine",
    suits: (model) => !isLoaded(model),
    run: ({ name }) => void loadModel(name),
  },
  {
    label: (name) => `Stop loading ${name}`,
    needs: "engine",
    suits: isComing,
    run: ({ name }) => void stopLoad(name),
  },
];

const fileActions: readonly ModelAction[] = [
  { label: (name) => `Copy the name of ${name}`, run: ({ name }) => void copyText(name) },
  {
    label: (name) => `Copy the folder of ${name}`,
    words: "path directory",
    run: ({ dir }) => void copyText(dir),
  },
  {
    label: (name) => `Rename ${name}`,
    words: "model folder name",
    shortcut: readable(keys.rename),
    needs: "app",
    run: ({ name }) => openDialog("renameModel", name),
  },
  {
    label: (name) => `Convert ${name}`,
    words: "fp16 int8 half quantize tensorrt plan smaller faster",
    needs: "app",
    suits: isConvertible,
    run: ({ name }) => openDialog("convert", name),
  },
  // The model, or one of its versions, goes to the trash after a question.
  {
    label: (name) => `Delete ${name}`,
    words: "remove trash model folder",
    needs: "app",
    suits: isOurs,
    run: ({ name }) => askDelete(name),
  },
  {
    label: (name, version) => `Delete version ${version} of ${name}`,
    words: "remove trash folder",
    needs: "app",
    suits: isOurs,
    parts: ({ versions }) => versions.map(({ number }) => String(number)),
    run: ({ name }, version) => askDelete(name, version),
  },
];

const pageActions: readonly ModelAction[] = [
  {
    label: (name) => `${name}: config`,
    words: "edit text pbtxt",
    run: ({ name }) => goToModel(name, "config"),
  },
  {
    label: (name) => `${name}: try it`,
    words: "request infer send",
    run: ({ name }) => goToModel(name, "try"),
  },
  { label: (name) => `${name}: metrics`, words: "latency", run: ({ name }) => goToModel(name, "metrics") },
  { label: (name) => `${name}: log`, run: ({ name }) => goToModel(name, "log") },
  { label: (name) => `${name}: files`, run: ({ name }) => goToModel(name, "files") },
  {
    label: (name) => `${name}: debug`,
    words: "process worker stack memory hang interrupt profile debugger",
    suits: hasProcesses,
    run: ({ name }) => goToModel(name, "debug"),
  },
  {
    label: (name) => `${name}: effective config`,
    words: "view filled defaults triton",
    suits: isOurs,
    run: (model) => showConfig(model, "effective"),
  },
  {
    label: (name) => `${name}: compare the config with the model file`,
    words: "view triton fills differences",
    suits: hasModelFile,
    run: (model) => showConfig(model, "compare"),
  },
  {
    label: (name) => `${name}: compare answers…`,
    words: "request version provider faster agree",
    needs: "engine",
    suits: isLoaded,
    run: ({ name }) => {
      goToModel(name, "try");
      openDialog("compareAnswers", name);
    },
  },
  ...reloads.map(
    ({ value, label }): ModelAction => ({
      label: (name) => `${name}: ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
      words: "reload save",
      needs: "engine",
      suits: ({ reload }) => reload !== "",
      run: ({ name }) => void setReload(name, value),
    }),
  ),
];

/** The commands for one model; none where the action does not suit it. */
export function commandsOf(
  { label, suits, parts, run, ...rest }: ModelAction,
  model: ModelSummary,
): Command[] {
  if (suits && !suits(model)) return [];
  const { name } = model;
  return (parts?.(model) ?? [""]).map((part) => ({
    ...rest,
    label: label(name, part),
    names: [name],
    run: () => run(model, part),
  }));
}

/** What can be done with any model, wherever one is. What people do most comes first. */
export const modelActions = [...lifeActions, ...pageActions, ...fileActions];

/** Commands that concern the model on the screen. */
export function modelCommands(model: ModelSummary | undefined): Command[] {
  if (!model) return [];
  const all = (actions: readonly ModelAction[]) => actions.flatMap((action) => commandsOf(action, model));
  return [...all(lifeActions), ...loopCommands(model), ...all(fileActions), ...all(pageActions)];
}
