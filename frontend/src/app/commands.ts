import { ModelState, type ModelSummary } from "../api/conch_pb";
import { openDialog } from "../window/dialogs";
import { keys, readable } from "../window/keys";
import { goToModel, goToRepository } from "../window/place";
import { setSetting } from "../window/settings";
import { toggleSidebar } from "../window/sidebar";
import { goBack, goForward } from "../window/trail";
import { canZoom, normalSize, zoomBy } from "../window/zoom";
import { askUnload, loadAllModels, loadModel, reloadModel } from "../workspace/modelActions";
import { useWorkspace } from "../workspace/workspace";
import type { Command } from "./command";
import { restartEngine } from "./engine";
import { loopCommands } from "./loopCommands";
import { rangeCommands } from "./rangeCommands";

const serves = ({ state }: ModelSummary) => state === ModelState.READY || state === ModelState.OLDER_SERVES;

/** Commands that concern the model on the screen. */
export function modelCommands(model: ModelSummary | undefined): Command[] {
  if (!model) return [];
  const { name } = model;
  const verbs: Command[] = serves(model)
    ? [
        { label: `Reload ${name}`, needs: "engine", run: () => void reloadModel(name) },
        { label: `Unload ${name}`, needs: "engine", run: () => askUnload(name) },
      ]
    : [{ label: `Load ${name}`, needs: "engine", run: () => void loadModel(name) }];
  const all: Command[] = [
    ...verbs,
    ...loopCommands(model),
    {
      label: `Rename ${name}`,
      words: "model folder name",
      shortcut: readable(keys.rename),
      needs: "app",
      run: () => openDialog("renameModel", name),
    },
    { label: `${name}: config`, words: "edit text pbtxt", run: () => goToModel(name, "config") },
    { label: `${name}: try it`, words: "request infer send", run: () => goToModel(name, "try") },
    { label: `${name}: metrics`, words: "latency", run: () => goToModel(name, "metrics") },
    { label: `${name}: log`, run: () => goToModel(name, "log") },
    { label: `${name}: files`, run: () => goToModel(name, "files") },
  ];
  return all.map((command) => ({ name, ...command }));
}

/** Each model that serves is loaded again, all at once. */
function reloadAllModels(): void {
  for (const model of useWorkspace.getState().models.values())
    if (serves(model)) void reloadModel(model.name);
}

/** The size of everything, where it is not a browser's. */
function sizeCommands(): Command[] {
  if (!canZoom()) return [];
  const words = "zoom scale font text interface";
  return [
    { label: "Larger", words, shortcut: readable(keys.larger), run: () => zoomBy(1) },
    { label: "Smaller", words, shortcut: readable(keys.smaller), run: () => zoomBy(-1) },
    { label: "Normal size", words, shortcut: readable(keys.normalSize), run: normalSize },
  ];
}

/** Commands that are always there. */
export const generalCommands: readonly Command[] = [
  { label: "Go back", words: "previous place", shortcut: readable(keys.back), run: goBack },
  { label: "Go forward", words: "next place", shortcut: readable(keys.forward), run: goForward },
  { label: "Overview", words: "repository home metrics", run: () => goToRepository("overview") },
  { label: "Requests", words: "history", run: () => goToRepository("requests") },
  { label: "Problems", words: "errors warnings", run: () => goToRepository("problems") },
  { label: "Log", run: () => goToRepository("log") },
  ...rangeCommands,
  { label: "Load all models", needs: "engine", run: () => void loadAllModels() },
  { label: "New model", words: "create", needs: "app", run: () => openDialog("newModel") },
  {
    label: "Open another repository",
    words: "folder",
    needs: "app",
    run: () => openDialog("openRepository"),
  },
  {
    label: "Show or hide the sidebar",
    shortcut: readable(keys.sidebar),
    run: toggleSidebar,
  },
  { label: "Restart the engine", needs: "app", run: () => void restartEngine() },
  { label: "Reload all models", needs: "engine", run: reloadAllModels },
  {
    label: "Keys",
    words: "shortcuts keyboard help",
    shortcut: readable(keys.keys),
    run: () => openDialog("keys"),
  },
  { label: "About Conch", words: "version licence license notices", run: () => openDialog("about") },
  ...sizeCommands(),
  { label: "Theme: system", words: "appearance", run: () => setSetting("theme", "system") },
  { label: "Theme: light", words: "appearance", run: () => setSetting("theme", "light") },
  { label: "Theme: dark", words: "appearance", run: () => setSetting("theme", "dark") },
];
