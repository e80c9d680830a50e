import { create } from "zustand";
import { clients } from "../api/client";
import { ModelState } from "../api/conch_pb";
import { describeError, isFolderAway, isUnavailable } from "../api/errors";
import { openDialog } from "../window/dialogs";
import { toast, toastError } from "../window/toasts";
import { agreedServer } from "./remote";
import { useWorkspace } from "./workspace";

export type Action = "load" | "reload" | "unload" | "stop";

export interface Refusal {
  action: Action;
  /** The engine's words. */
  reason: string;
  /** What has to come back before the same can succeed; undefined where it is the model itself. */
  waitsFor?: "folder" | "engine";
}

interface ActionsState {
  /** What is being done now, by model. */
  pending: Readonly<Record<string, Action | undefined>>;
  /** The last thing asked of a model that was refused, until it is dismissed or done again. */
  refused: Readonly<Record<string, Refusal | undefined>>;
  /** Whose load is being stopped: that it does not come to its end is no refusal. */
  stopping: ReadonlySet<string>;
  /** What was unloaded from here, with what fell with it: the answer to that says it all. */
  unloaded: ReadonlySet<string>;
  /** Whose load was asked for here: that it succeeded is said, wherever one is. */
  asked: ReadonlySet<string>;
  loadingAll: boolean;
  /** Models that are being renamed or deleted, or made of one that is: that they fail on the way is no news. */
  moving: ReadonlySet<string>;
}

const nothing = (): ActionsState => ({
  pending: {},
  refused: {},
  stopping: new Set(),
  unloaded: new Set(),
  asked: new Set(),
  loadingAll: false,
  moving: new Set(),
});

export const useModelActions = create<ActionsState>(nothing);

/** Changes whenever another repository or server is shown. */
let shown = {};

/** Another repository or server is shown: what was asked of the models before is not of its models, whatever they are called. */
export function forgetActions(): void {
  shown = {};
  set(nothing());
}

/** For an answer that may come late: whether what was shown then is still shown, and else what that was called. */
function whereNow(): () => string | undefined {
  const then = shown;
  const { repository, engine } = useWorkspace.getState();
  const name = engine?.remote?.name ?? repository?.name ?? "";
  return () => (then === shown ? undefined : name);
}

/** What the engine meets halfway is told for so long after all is done. */
const ECHO_MS = 1_500;

/** Those of each thing that is being done, since several can be under way. */
const quiet = new Set<readonly string[]>();

/** Keeps quiet about models while something is done to them. */
export async function quietly<T>(models: readonly string[], run: () => Promise<T>): Promise<T> {
  const these = [...models];
  const tell = () => useModelActions.setState({ moving: new Set([...quiet].flat()) });
  quiet.add(these);
  tell();
  try {
    return await run();
  } finally {
    setTimeout(() => {
      quiet.delete(these);
      tell();
    }, ECHO_MS);
  }
}

const without = <T>(record: Readonly<Record<string, T>>, name: string) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

const set = useModelActions.setState;

function waitsFor(error: unknown): Refusal["waitsFor"] {
  if (isFolderAway(error)) return "folder";
  return isUnavailable(error) ? "engine" : undefined;
}

function refuse(name: string, action: Action, error: unknown): void {
  const reason = describeError(error).message;
  set((s) => ({ refused: { ...s.refused, [name]: { action, reason, waitsFor: waitsFor(error) } } }));
}

const deeds: Record<Action, string> = {
  load: "loaded",
  reload: "reloaded",
  unload: "unloaded",
  stop: "stopped",
};

async function act(name: string, action: Action, ask: () => Promise<unknown>): Promise<boolean> {
  if (useModelActions.getState().pending[name]) return false;
  const left = whereNow();
  set((s) => ({ pending: { ...s.pending, [name]: action }, refused: without(s.refused, name) }));
  try {
    await ask();
    return true;
  } catch (error) {
    const where = left();
    if (where !== undefined)
      toastError(`${name} of ${where} was not ${deeds[action]}`, error, { names: [name, where] });
    else if (!useModelActions.getState().stopping.has(name)) refuse(name, action, error);
    return false;
  } finally {
    if (left() === undefined) set((s) => ({ pending: without(s.pending, name) }));
  }
}

async function actLoad(
  name: string,
  action: "load" | "reload",
  ask?: () => Promise<unknown>,
  agreed?: string,
): Promise<boolean> {
  const answer = agreed ?? agreedServer(`Load ${name}`);
  const server = typeof answer === "string" ? answer : await answer;
  if (server === undefined) return false;
  const left = whereNow();
  set((s) => ({ asked: new Set([...s.asked, name]) }));
  const done = await act(
    name,
    action,
    ask ?? (() => clients.models.load({ name, force: action === "reload", server })),
  );
  if (!done && left() === undefined) takeAsked(name);
  return done;
}

export const loadModel = (name: string) => actLoad(name, "load");

/** agreed is the server on which a person has agreed to it, where they were asked before. */
export const reloadModel = (name: string, agreed?: string) => actLoad(name, "reload", undefined, agreed);

/** Installs the packages that were offered for a model, and loads it. */
export const installFor = (name: string, offer: string) =>
  actLoad(name, "load", () => clients.models.install({ model: name, offer }));

/** Whether the load of a model was asked for here. Its end answers that once. */
export function takeAsked(name: string): boolean {
  const { asked } = useModelActions.getState();
  if (!asked.has(name)) return false;
  set({ asked: new Set([...asked].filter((other) => other !== name)) });
  return true;
}

/** Ends the load that is under way. What serves goes on; the one who asked for the load is told nothing more. */
export async function stopLoad(name: string): Promise<void> {
  if (useModelActions.getState().stopping.has(name)) return;
  const left = whereNow();
  set((s) => ({ stopping: new Set([...s.stopping, name]) }));
  try {
    await clients.models.stopLoad({ name });
  } catch (error) {
    if (left() === undefined) refuse(name, "stop", error);
  } finally {
    if (left() === undefined)
      set((s) => ({ stopping: new Set([...s.stopping].filter((other) => other !== name)) }));
  }
}

/** Says what the engine does when the model's files change. */
export async function setReload(name: string, reload: string): Promise<void> {
  try {
    await clients.models.setReload({ name, reload });
  } catch (error) {
    toastError(`The reload setting of ${name} was not changed`, error, { names: [name] });
  }
}

/** Unloads a model; where ensembles stop serving with it, these are shown before. */
export function askUnload(name: string): void {
  if (servingWith(name).length > 0) openDialog("unload", name);
  else void unloadModel(name);
}

/** Unloads at once; where an ensemble stops serving with it, that is said, with the way back. */
export async function unloadModel(name: string, unloadDependents = false): Promise<boolean> {
  const answer = agreedServer(`Unload ${name}`);
  const server = typeof answer === "string" ? answer : await answer;
  if (server === undefined) return false;
  const fallen = servingWith(name);
  const left = unloadDependents ? [] : fallen;
  const where = whereNow();
  set((s) => ({ unloaded: new Set([...s.unloaded, name, ...fallen]) }));
  const done = await act(name, "unload", () => clients.models.unload({ name, unloadDependents, server }));
  if (where() !== undefined) return done; // the way back would load another model
  if (!done) forgetUnloaded([name, ...fallen]);
  if (done && left.length === 0) {
    const names = [name, ...fallen];
    toast({ level: "info", about: `model ${name}`, text: `${names.join(", ")} unloaded`, names });
  } else if (done) {
    toast({
      level: "warning",
      about: `model ${name}`,
      names: [name, ...left],
      text: `${name} is unloaded; ${left.join(", ")} cannot serve without it`,
      action: { label: `Load ${name} again`, run: () => void loadModel(name) },
    });
  }
  return done;
}

/** They serve again, or were not unloaded after all: what happens to them is news again. */
export function forgetUnloaded(names: readonly string[]): void {
  set((s) => ({ unloaded: new Set([...s.unloaded].filter((name) => !names.includes(name))) }));
}

/** The ensembles that serve now and are made of this model, directly or through another ensemble. */
export function servingWith(name: string): string[] {
  const { models } = useWorkspace.getState();
  const found = new Set<string>();
  const add = (part: string): void => {
    for (const user of models.get(part)?.usedBy ?? []) {
      const state = models.get(user)?.state;
      const serves = state === ModelState.READY || state === ModelState.OLDER_SERVES;
      if (!serves || found.has(user)) continue;
      found.add(user);
      add(user);
    }
  };
  add(name);
  return [...found];
}

export function dismissRefusal(name: string): void {
  set((s) => ({ refused: without(s.refused, name) }));
}

/** The folder or the engine is back: refusals for want of it are over. */
export function settleRefusals(what: "folder" | "engine"): void {
  set((s) => ({
    refused: Object.fromEntries(
      Object.entries(s.refused).filter(([, refusal]) => refusal?.waitsFor !== what),
    ),
  }));
}

/** They serve: that a load of them was refused is over. That an unload was refused is not. */
export function settleLoads(names: readonly string[]): void {
  set((s) => ({
    refused: Object.fromEntries(
      Object.entries(s.refused).filter(
        ([name, refusal]) => !names.includes(name) || refusal?.action === "unload",
      ),
    ),
  }));
}

/** Loads everything that is not loaded, and says how it went. */
export async function loadAllModels(): Promise<void> {
  if (useModelActions.getState().loadingAll) return;
  const server = await agreedServer("Load all models");
  if (server === undefined) return;
  const left = whereNow();
  set({ loadingAll: true });
  try {
    const { loaded, failed } = await clients.models.loadAll({ server });
    if (left() !== undefined) return;
    const [first] = failed;
    if (!first) {
      toast({
        level: "info",
        text: loaded.length === 0 ? "Every model is loaded" : `${loaded.length} loaded`,
      });
    } else {
      toast({
        level: "error",
        text: `${loaded.length} loaded, ${failed.length} failed`,
        detail: `${failed.length > 1 ? "The first is " : ""}${first.name}: ${first.reason}`,
        reason: first.reason,
        reasonOf: first.name,
        names: [first.name],
        about: useWorkspace.getState().repository?.away ? "folder" : `model ${first.name}`,
      });
    }
  } catch (error) {
    toastError("The models were not loaded", error);
  } finally {
    if (left() === undefined) set({ loadingAll: false });
  }
}
