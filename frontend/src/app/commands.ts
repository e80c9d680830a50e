import { Access_Trust } from "../api/conch_pb";
import { isLoaded } from "../features/models/menu";
import { copyText } from "../lib/clipboard";
import { setWhose, showNotices, type Whose } from "../window/asked";
import { openDialog } from "../window/dialogs";
import { keys, readable } from "../window/keys";
import { goToRepository } from "../window/place";
import { setSetting, themes } from "../window/settings";
import { toggleSidebar } from "../window/sidebar";
import { goBack, goForward } from "../window/trail";
import { canZoom, normalSize, zoomBy } from "../window/zoom";
import { draftsIn } from "../workspace/drafts";
import { loadAllModels, reloadModel } from "../workspace/modelActions";
import { agreedServer } from "../workspace/remote";
import {
  refuseMissingGpus,
  selectOverrides,
  selectStrictGpu,
  selectTrust,
  takeConfigs,
  trustRepository,
} from "../workspace/trust";
import { useWorkspace } from "../workspace/workspace";
import type { Command } from "./command";
import { restartEngine } from "./engine";
import { rangeCommands } from "./rangeCommands";

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
  const { engine } = useWorkspace.getState();
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
  { label: "Restart the engine", needs: "app", run: () => void restartEngine() },
  { label: "Reload all models", needs: "engine", run: () => void reloadAllModels() },
  { label: "Devices…", words: "gpu cpu memory full fits", run: () => openDialog("devices") },
  {
    label: "Hand the repository over…",
    words: "export deploy docker compose kubernetes kserve tritonserver",
    needs: "app",
    run: () => openDialog("handover"),
  },
  { label: "Notices", words: "messages bell past errors", run: () => showNotices(true) },
];

const themeCommands = themes.map(
  ({ value, label }): Command => ({
    label,
    words: `appearance ${settings}`,
    run: () => setSetting("theme", value),
  }),
);

const aboutCommands: readonly Command[] = [
  {
    label: "Keys",
    words: `shortcuts keyboard help ${settings}`,
    shortcut: readable(keys.keys),
    run: () => openDialog("keys"),
  },
  {
    label: "Installed Python packages",
    words: `environments requirements pip uv remove ${settings}`,
    needs: "engine",
    run: () => openDialog("packages"),
  },
  {
    label: "About Conch",
    words: `version licence license third party ${settings}`,
    run: () => openDialog("about"),
  },
  {
    label: "ONNX Runtime…",
    words: `builds cuda tensorrt gpu library install choose ${settings}`,
    needs: "app",
    run: () => openDialog("runtimes"),
  },
];

/** What the menu of settings has, in its order, and after it what else can be set. */
export function settingCommands(): Command[] {
  const open = (useWorkspace.getState().repository?.roots.length ?? 0) > 0;
  return [
    ...themeCommands,
    {
      label: "Show or hide the sidebar",
      words: settings,
      shortcut: readable(keys.sidebar),
      run: toggleSidebar,
    },
    ...(open ? accessCommands() : []),
    ...sizeCommands(),
    ...aboutCommands,
  ];
}
