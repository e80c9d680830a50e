import { equals } from "@bufbuild/protobuf";
import { admit, onAdmitted } from "../api/access";
import { clients } from "../api/client";
import {
  Engine_State,
  ModelState,
  type ModelSummary,
  ModelSummarySchema,
  type Notice,
  Notice_Action,
  Notice_Level,
  type WorkspaceUpdate,
} from "../api/conch_pb";
import { isRefused } from "../api/errors";
import { askOtherTabs, shareToken } from "../api/otherTabs";
import { forgetShown, keys, queryClient } from "../api/queries";
import { currentToken, followAddress } from "../api/token";
import { createWatcher } from "../api/watcher";
import { visible } from "../lib/visible";
import { showTriesOf } from "../requests/tries";
import { followKept } from "../window/kept";
import { goToModel, usePlace } from "../window/place";
import { followSettings, loadSettings } from "../window/settings";
import { list, settle, settleModel, type Toast, toast } from "../window/toasts";
import { followTrail } from "../window/trail";
import { forgetActions, takeAsked, useModelActions } from "../workspace/modelActions";
import { isOpenedHere } from "../workspace/openRepository";
import { fixUnsavedWith } from "../workspace/repair";
import {
  applyUpdate,
  mergeUpdates,
  selectShown,
  useWorkspace,
  type WorkspaceState,
} from "../workspace/workspace";
import { followPlace } from "./address";
import { restartEngine, wantsRestart } from "./engine";
import { followRepository } from "./kept";
import { asksTrustFor, causeOf, settleOld } from "./settled";

/** What was just asked of the model on the screen is answered above it; a second voice would only be in the way. */
function isAnswered(model: string): boolean {
  const { pending, refused } = useModelActions.getState();
  return pending[model] !== undefined || refused[model] !== undefined;
}

/** What was unloaded from here is told of in one message, with what fell with it. */
const isOfUnload = ({ level, model }: Notice): boolean =>
  level !== Notice_Level.ERROR && useModelActions.getState().unloaded.has(model);

/** The banners say it already: what waits for trust, that the folder is away, that the engine is down. */
function isInBanner({ model, cause }: Notice): boolean {
  const state = useWorkspace.getState();
  if (cause === "repository") return state.repository?.away ?? false;
  if (cause === "engine") return wantsRestart(state.engine);
  return asksTrustFor(state, model);
}

/** Says aloud what needs attention elsewhere; the rest is in the log and the events. */
function announce(notice: Notice): void {
  const here = usePlace.getState().model === notice.model && notice.model !== "";
  // That unsaved texts are kept, history is written, or a GPU is reached, again is said as loudly as that they were not.
  // That a process which died runs again is said as loudly, too. A model that appears on disk is news, wherever one is.
  const again = ["keeping", "history", "added", "gpus", "revived"].includes(notice.cause);
  const asked = notice.level === Notice_Level.INFO && takeAsked(notice.model);
  if (notice.level === Notice_Level.INFO && !here && !again && !asked) return;
  if (useModelActions.getState().moving.has(notice.model)) return;
  if (here && !asked && isAnswered(notice.model)) return;
  if (isInBanner(notice)) return;
  // A model that was added and fails to load is one message: the newer one names it too.
  if (notice.model !== "") settleModel(notice.model);
  // The header of the model on the screen says why it failed, or why the state from before still serves.
  const say = here && notice.level !== Notice_Level.INFO ? list : toast;
  say({
    level:
      notice.level === Notice_Level.ERROR
        ? "error"
        : notice.level === Notice_Level.WARNING
          ? "warning"
          : "info",
    ...wordsOf(notice),
    action: actionOf(notice, here),
    about: causeOf(notice),
    model: notice.model || undefined,
  });
}

/** What happened, and apart from it why: better words than the engine's may take their place. */
function wordsOf({ text, reason }: Notice): Pick<Toast, "text" | "detail" | "reason"> {
  const end = `: ${reason}`;
  if (reason === "" || !text.endsWith(end)) return { text };
  return { text: text.slice(0, -end.length), detail: reason, reason };
}

/** What can be done about it, or where it happened. */
function actionOf(notice: Notice, here: boolean): Toast["action"] {
  if (notice.action === Notice_Action.RESTART_ENGINE)
    return { label: "Restart the engine", run: () => void restartEngine() };
  if (here || notice.model === "") return undefined;
  return { label: `Show ${visible(notice.model)}`, run: () => goToModel(notice.model) };
}

/** With each key the counted problems may change; nothing else that is known of a model depends on them. */
function onlyRecounted(before: ModelSummary | undefined, now: ModelSummary): boolean {
  const { errors, warnings, wrongModels } = now;
  const counts = { errors, warnings, wrongModels };
  return before !== undefined && equals(ModelSummarySchema, { ...before, ...counts }, { ...now, ...counts });
}

function invalidate(update: WorkspaceUpdate, { models }: WorkspaceState): void {
  const all = update.reset;
  if (all) queryClient.invalidateQueries({ queryKey: ["model"] });
  const changed = new Set([
    ...update.models.filter((model) => !onlyRecounted(models.get(model.name), model)).map(({ name }) => name),
    ...update.files.map((file) => file.model),
  ]);
  if (!all) for (const name of changed) queryClient.invalidateQueries({ queryKey: keys.model(name) });
  if (all || changed.size > 0 || update.repository || update.problems)
    queryClient.invalidateQueries({ queryKey: keys.problems() });
}

/** A model that failed before and fails again is no news, unless it is the one that is being worked on. */
function failsElsewhere({ models }: WorkspaceState, model: string): boolean {
  const state = models.get(model)?.state ?? ModelState.UNSPECIFIED;
  return [ModelState.FAILED, ModelState.UNTRUSTED].includes(state) && usePlace.getState().model !== model;
}

/** Whether the first engine still starts, or loads what a start loads: what fails then is in the lists, and no news. */
const begins = ({ seq, engine }: WorkspaceState): boolean =>
  seq === 0n ||
  (engine?.restarts === 0 && (engine.state === Engine_State.STARTING || engine.loading) && !engine.remote);

/** A window that worked on another repository says why it shows this one. */
async function tellOpened(before: WorkspaceState, { reset, repository }: WorkspaceUpdate): Promise<void> {
  if (!reset || !repository) return;
  const was = before.repository?.id ?? "";
  if (was === "" || repository.id === "" || repository.id === was) return;
  if (repository.roots.length === 0) return; // a server is shown alone: no folder was opened
  if (await isOpenedHere(repository.id)) return;
  const left = before.repository?.name ?? "";
  const kept = left === "" ? "" : ` What was typed here is kept with ${left}.`;
  toast({
    level: "info",
    stays: true,
    about: "repository",
    text: `Another window opened ${repository.name}.${kept}`,
    names: [repository.name, left],
  });
}

/** Takes one update in: state, notices, what must be asked again. */
export function receive(update: WorkspaceUpdate): void {
  const before = useWorkspace.getState();
  const known = new Set(before.notices.map((notice) => notice.id));
  useWorkspace.setState(applyUpdate(before, update));
  if (selectShown(useWorkspace.getState()) !== selectShown(before)) {
    forgetActions();
    void forgetShown();
  }
  if (!update.heartbeat) invalidate(update, before);
  if (update.reset) followRepository();
  const { engine } = useWorkspace.getState();
  if (engine) showTriesOf(engine.remote?.name ?? "");
  settleOld(before, update);
  void tellOpened(before, update);
  // Of what happens before the page is there, or at the start of the engine, what is about the workbench itself is announced.
  const first = begins(before);
  const isNews = ({ id, model }: Notice) =>
    !known.has(id) && !failsElsewhere(before, model) && !(first && model !== "");
  for (const notice of update.notices.filter(isNews)) {
    if (isOfUnload(notice)) continue;
    const about = causeOf(notice);
    if (about) settle(about);
    announce(notice);
  }
}

/** The token of this page is missing or does not fit: another tab may have one that does. */
async function admitByOthers(): Promise<void> {
  const token = await askOtherTabs();
  if (token === undefined || token === currentToken()) useWorkspace.setState({ connection: "refused" });
  else admit(token);
}

/** Follows the workspace and the address for as long as the window lives. */
export function startWorkspace(): { destroy(): void } {
  const watcher = createWatcher({
    watch: (signal) => clients.workspace.watch({}, { signal }),
    onUpdate: receive,
    merge: mergeUpdates,
    onLost: (error) => {
      if (isRefused(error)) void admitByOthers();
      else useWorkspace.setState({ connection: "lost" });
    },
  });
  const hurry = () => {
    watcher.hurry();
    void loadSettings().catch(() => undefined);
  };
  const unaddress = followAddress(hurry);
  const unadmit = onAdmitted(hurry);
  const unshare = shareToken(() =>
    useWorkspace.getState().connection === "live" ? currentToken() : undefined,
  );
  fixUnsavedWith(async (...asked) => (await import("../features/editor/unsavedFix")).fixUnsaved(...asked));
  const place = followPlace();
  // What is told of a model goes when its page is opened, which shows the same.
  const unsay = usePlace.subscribe(({ model }, before) => {
    if (model !== "" && model !== before.model) settleModel(model);
  });
  const unmark = followTrail();
  const unkeep = followKept(() => useWorkspace.getState().repository?.roots ?? []);
  const unsettle = followSettings();
  return {
    destroy: () => {
      watcher.destroy();
      unaddress();
      unadmit();
      unshare();
      place.destroy();
      unsay();
      unmark();
      unkeep();
      unsettle();
    },
  };
}
