import { create } from "zustand";
import { askEditor } from "./asked";
import { goToModel, revealInConfig, usePlace } from "./place";

/** Which file of each model the editor shows, where that is not its config. */
const useOpenFiles = create<Readonly<Record<string, string>>>(() => ({}));

/** The file of a model that the editor shows. */
export const useOpenFile = (model: string, config: string): string =>
  useOpenFiles((open) => open[model] ?? config);

/** Has a part of the window follow which files are shown. */
export const onOpenFiles = useOpenFiles.subscribe;

/** Those that came back from an earlier time, by model, until it is known whether they are still there. */
const cameBack = new Map<string, string>();

/** Shows the files of an earlier time again, instead of those of another repository or beside what was opened meanwhile. */
export function reopenFiles(files: ReadonlyMap<string, string>, how: "instead" | "beside"): void {
  cameBack.clear();
  for (const [model, path] of files) cameBack.set(model, path);
  useOpenFiles.setState((now) => ({ ...Object.fromEntries(files), ...(how === "beside" && now) }), true);
}

/** A file that came back from an earlier time is closed where it is not there any more. What is deleted later stays open. */
export function checkReopened(model: string, isThere: (path: string) => boolean): void {
  const path = cameBack.get(model);
  cameBack.delete(model);
  if (path !== undefined && !isThere(path)) closeFiles(model, path);
}

/** Opens a file of a model in the editor: at a line, or where one was in it. */
export function openFile(model: string, path: string, line?: number): void {
  useOpenFiles.setState({ [model]: path });
  if (line) revealInConfig(model, { path, from: 0, to: 0, line });
  else goToModel(model, "config");
}

/** Opens a file of a model in the editor, where one was in it, with the focus in its text. */
export function editFile(model: string, path: string): void {
  openFile(model, path);
  askEditor("type");
}

/** Opens a file that was just made, at its beginning and with the focus in its text. */
export function openToType(model: string, path: string): void {
  const restore = { path, line: 1, column: 0, top: { line: 1, offset: 0 } };
  usePlace.setState({ model, modelTab: "config", reveal: undefined, restore });
}

const closers = new Set<(model: string, path: string) => void>();

/** Has a part of the window follow which files are closed. */
export function onClosed(follow: (model: string, path: string) => void): void {
  closers.add(follow);
}

/** Closes a file, or all below a folder of a model; all of the model where path is "". */
export function closeFiles(model: string, path: string): void {
  const shown = useOpenFiles.getState()[model];
  if (shown !== undefined && isBelow(shown, path)) {
    const { [model]: _, ...others } = useOpenFiles.getState();
    useOpenFiles.setState(others, true);
  }
  for (const follow of closers) follow(model, path);
}

const movers = new Set<(model: string, from: string, to: string) => void>();

/** Has a part of the window follow which files and folders have another path. */
export function onMoved(follow: (model: string, from: string, to: string) => void): void {
  movers.add(follow);
}

/** A file or a folder of a model has another path now: what is open of it goes on there. */
export function moveOpenFile(model: string, from: string, to: string): void {
  for (const follow of movers) follow(model, from, to);
  const shown = useOpenFiles.getState()[model];
  if (shown !== undefined && isBelow(shown, from))
    useOpenFiles.setState({ [model]: to + shown.slice(from.length) });
}

/** Whether a file is this one, or lies in this folder; in the model where the folder is "". */
export const isBelow = (path: string, folder: string): boolean =>
  folder === "" || path === folder || path.startsWith(`${folder}/`);

// A file is open when a place in it is shown.
usePlace.subscribe(({ model, reveal, restore }, before) => {
  if (reveal && reveal !== before.reveal) useOpenFiles.setState({ [model]: reveal.path });
  else if (restore && restore !== before.restore) useOpenFiles.setState({ [model]: restore.path });
});
