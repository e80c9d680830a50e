import { Access_Trust, ModelState, type ModelSummary } from "../api/conch_pb";
import { isConvertible, isLoaded, reloads } from "../features/models/menu";
import { copyText } from "../lib/clipboard";
import { setWhose, showNotices, type Whose } from "../window/asked";
import { askDelete, openDialog } from "../window/dialogs";
import { keys, readable } from "../window/keys";
import { goToModel, goToRepository } from "../window/place";
import { setSetting } from "../window/settings";
import { toggleSidebar } from "../window/sidebar";
import { goBack, goForward } from "../window/trail";
import { canZoom, normalSize, zoomBy } from "../window/zoom";
import { draftsIn } from "../workspace/drafts";
import {
  askUnload,
  loadAllModels,
  loadModel,
  reloadModel,
  setReload,
  stopLoad,
} from "../workspace/modelActions";
import { agreedServer } from "../workspace/remote";
import {
  refuseMissingGpus,
  selectOverrides,
  selectStrictGpu,
  selectTrust,
  takeConfigs,
  trustRepository,
} from "../workspace/trust";
import { hasProcesses } from "../workspace/workers";
import { useWorkspace } from "../workspace/workspace";
import type { Command } from "./command";
import { restartEngine } from "./engine";
import { loopCommands } from "./loopCommands";
import { fits } from "./paletteSearch";
import { rangeCommands } from "./rangeCommands";

/** The model, or one of its versions, goes to the trash after a question. */
const deleteCommands = ({ name, versions }: ModelSummary): Command[] => [
  {
    label: `Delete ${name}`,
    words: "remove trash model folder",
    needs: "app",
    run: () => askDelete(name),
  },
  ...versions.map(({ number }) => ({
    label: `Delete version ${number} of ${name}`,
    words: "remove trash folder",
    needs: "app" as const,
    run: () => askDelete(name, String(number)),
  })),
];

const conversionWords = "fp16 int8 half quantize tensorrt plan smaller faster";

const convertCommand = ({ name }: ModelSummary): Command => ({
  label: `Convert ${name}`,
  names: [name],
  words: conversionWords,
  needs: "app",
  run: () => openDialog("convert", name),
});

/** Of how many models the palette offers the conversion; typing more narrows them down. */
const mostConversions = 8;

/**
 * The conversions of the models that are not on the screen, for those who type a word of it. A name alone, or a part of it,
 * asks for the model's page.
 */
export function convertCommands(models: Iterable<ModelSummary>, here: string, text: string): Command[] {
  const said = `convert ${conversionWords}`;
  if (!text.split(/\s+/).some((word) => word.length > 2 && said.includes(word))) return [];
  return [...models]
    .filter((model) => model.name !== here && isConvertible(model))
    .map(convertCommand)
    .filter((command) => fits(command, text))
    .slice(0, mostConversions);
}

/** Commands that concern the model on the screen. */
export function modelCommands(model: ModelSummary | undefined): Command[] {
  if (!model) return [];
  const { name } = model;
  const verbs: Command[] = isLoaded(model)
    ? [
        { label: `Reload ${name}`, needs: "engine", run: () => void reloadModel(name) },
        { label: `Unload ${name}`, needs: "engine", run: () => askUnload(name) },
      ]
    : [{ label: `Load ${name}`, needs: "engine", run: () => void loadModel(name) }];
  if (model.state === ModelState.LOADING || model.loadingSince > 0n)
    verbs.push({ label: `Stop loading ${name}`, needs: "engine", run: () => void stopLoad(name) });
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
    ...(isConvertible(model) ? [convertCommand(model)] : []),
    ...(model.servedOnly ? [] : deleteCommands(model)),
    { label: `${name}: config`, words: "edit text pbtxt", run: () => goToModel(name, "config") },
    { label: `${name}: try it`, words: "request infer send", run: () => goToModel(name, "try") },
    { label: `${name}: metrics`, words: "latency", run: () => goToModel(name, "metrics") },
    { label: `${name}: log`, run: () => goToModel(name, "log") },
    { label: `${name}: files`, run: () => goToModel(name, "files") },
    ...(hasProcesses(model)
      ? [
          {
            label: `${name}: debug`,
            words: "process worker stack memory hang interrupt profile debugger",
            run: () => goToModel(name, "debug"),
          },
        ]
      : []),
    ...(model.reload === "" ? [] : reloads).map(({ value, label }) => ({
      label: `${name}: ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
      words: "reload save",
      needs: "engine" as const,
      run: () => void setReload(name, value),
    })),
  ];
  return all.map((command) => ({ names: [name], ...command }));
}

/** Each model that serves is loaded again, all at once, after one question at most. */
async function reloadAllModels(): Promise<void> {
  const server = await agreedServer("Reload all models");
  if (server === undefined) return;
  for (const model of useWorkspace.getState().models.values())
    if (isLoaded(model)) void reloadModel(model.name, server);
}

/** What people type who look for a page of settings. Each setting is a command. */
const settings = "settings preferences options";

/** The size of everything, where it is not a browser's. */
function sizeCommands(): Command[] {
  if (!canZoom()) return [];
  const words = `zoom scale font text interface ${settings}`;
  return [
    { label: "Larger", words, shortcut: readable(keys.larger), run: () => zoomBy(1) },
    { label: "Smaller", words, shortcut: readable(keys.smaller), run: () => zoomBy(-1) },
    { label: "Normal size", words, shortcut: readable(keys.normalSize), run: normalSize },
  ];
}

function showRequests(whose: Whose): void {
  setWhose(whose);
  goToRepository("requests");
}

/** Permissions of the open repository: each is given, or taken back. */
function accessCommands(): Command[] {
  const state = useWorkspace.getState();
  const trusted = selectTrust(state) === Access_Trust.TRUSTED;
  const overrides = selectOverrides(state);
  const strictGpu = selectStrictGpu(state);
  return [
    {
      label: trusted ? "Do not trust this repository any more" : "Trust this repository",
      words: `code python permission ${settings}`,
      needs: "app",
      run: () => void trustRepository(!trusted),
    },
    {
      label: overrides ? "Take no configs from clients" : "Take configs from clients",
      words: `load override permission ${settings}`,
      needs: "app",
      run: () => void takeConfigs(!overrides),
    },
    {
      label: strictGpu ? "Run models whose GPUs are missing" : "Refuse models whose GPUs are missing",
      words: `strict cpu kind_gpu triton ${settings}`,
      needs: "app",
      run: () => void refuseMissingGpus(!strictGpu),
    },
  ];
}

/** Commands for what is there now. */
export function currentCommands(): Command[] {
  const { engine, repository } = useWorkspace.getState();
  const copies = [
    ["HTTP", engine?.httpAddress],
    ["gRPC", engine?.grpcAddress],
    ["metrics", engine?.metricsAddress],
  ] as const;
  return [
    ...copies.flatMap(([name, address]) =>
      address
        ? [{ label: `Copy the ${name} address`, words: "port url", run: () => void copyText(address) }]
        : [],
    ),
    ...(draftsIn(useWorkspace.getState()).length > 0
      ? [{ label: "Unsaved texts", words: "drafts save discard", run: () => openDialog("unsaved") }]
      : []),
    ...((repository?.roots.length ?? 0) > 0 ? accessCommands() : []),
    ...sizeCommands(),
  ];
}

/** Commands that are always there. */
export const generalCommands: readonly Command[] = [
  { label: "Go back", words: "previous place", shortcut: readable(keys.back), run: goBack },
  { label: "Go forward", words: "next place", shortcut: readable(keys.forward), run: goForward },
  { label: "Overview", words: "repository home metrics", run: () => goToRepository("overview") },
  { label: "Requests", words: "history sent", run: () => showRequests("sent") },
  {
    label: "Refused requests",
    words: "clients ports rejected errors 400",
    run: () => showRequests("refused"),
  },
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
  { label: "Reload all models", needs: "engine", run: () => void reloadAllModels() },
  {
    label: "Keys",
    words: "shortcuts keyboard help",
    shortcut: readable(keys.keys),
    run: () => openDialog("keys"),
  },
  {
    label: "Installed Python packages",
    words: "environments requirements pip uv remove",
    needs: "engine",
    run: () => openDialog("packages"),
  },
  { label: "Devices…", words: "gpu cpu memory full fits", run: () => openDialog("devices") },
  {
    label: "ONNX Runtime…",
    words: `builds cuda tensorrt gpu library install choose ${settings}`,
    needs: "app",
    run: () => openDialog("runtimes"),
  },
  {
    label: "Hand the repository over…",
    words: "export deploy docker compose kubernetes kserve tritonserver",
    needs: "app",
    run: () => openDialog("handover"),
  },
  { label: "About Conch", words: "version licence license third party", run: () => openDialog("about") },
  { label: "Notices", words: "messages bell past errors", run: () => showNotices(true) },
  { label: "Theme: system", words: `appearance ${settings}`, run: () => setSetting("theme", "system") },
  { label: "Theme: light", words: `appearance ${settings}`, run: () => setSetting("theme", "light") },
  { label: "Theme: dark", words: `appearance ${settings}`, run: () => setSetting("theme", "dark") },
];
