import { create } from "zustand";
import { fileKey } from "../../lib/fileKey";
import { native } from "../../window/native";
import { isBelow, onClosed, onMoved } from "../../window/openFiles";
import { leaveMark } from "../../window/trail";
import { openedRepository, useWorkspace } from "../../workspace/workspace";
import type { FileId } from "./fileId";
import { createSession, type Session } from "./session";

/** Open files that are kept with their undo history; unsaved ones, and those that were deleted on disk, are kept beyond that. */
const KEPT = 30;

const open = new Map<string, Session>();

/** By repository too: the same model of another one is another file, and one comes back to this one's undo history. */
const keyOf = ({ model, path }: FileId, repository = openedRepository()) => `${repository}\n${model}/${path}`;

function forgetOldest(): void {
  for (const [key, session] of open) {
    if (open.size <= KEPT) return;
    const { edited, deleted } = session.store.getState();
    if (!edited && deleted === undefined) open.delete(key);
  }
}

/** The open files that are not on disk any more, by their keys. */
const useDeleted = create<{ paths: Readonly<Record<string, string>> }>(() => ({ paths: {} }));

function noteDeleted(): void {
  const paths: Record<string, string> = {};
  for (const [key, { store, file }] of open) {
    const { deleted, conflict } = store.getState();
    if (deleted !== undefined || conflict?.deleted) paths[key] = file.path;
  }
  if (Object.keys(paths).join() !== Object.keys(useDeleted.getState().paths).join())
    useDeleted.setState({ paths });
}

/** The files of a model that were deleted on disk while they were open, and are not closed yet. */
export function useDeletedFiles(model: string): readonly string[] {
  const paths = useDeleted((state) => state.paths);
  const here = keyOf({ model, path: "" });
  return Object.keys(paths).flatMap((key) => (key.startsWith(here) ? (paths[key] ?? []) : []));
}

/** Whether the text of an open file is lost with it: it is not on disk, and the app does not keep it as unsaved. */
export function isOnlyHere(file: FileId): boolean {
  const session = openSession(file);
  if (!session) return false;
  const { deleted, edited, notKept } = session.store.getState();
  return edited ? notKept !== "" || session.isHereAlone() : deleted !== undefined;
}

onClosed((model, path) => {
  const here = keyOf({ model, path: "" });
  for (const [key, { file }] of [...open])
    if (key.startsWith(here) && isBelow(file.path, path)) open.delete(key);
  noteDeleted();
});

// An open file that has another path goes on as it is, with its undo history.
onMoved((model, from, to) => {
  const here = keyOf({ model, path: "" });
  const moved = [...open].filter(
    ([key, { file }]) => key.startsWith(here) && file.model === model && isBelow(file.path, from),
  );
  for (const [key, session] of moved) {
    open.delete(key);
    session.move(to + session.file.path.slice(from.length));
    open.set(keyOf(session.file), session);
    session.refresh(); // the disk may have told already that the old path is gone
  }
});

// What is not shown is not looked at, but its text may be the only one that is left.
useWorkspace.subscribe(({ files }, before) => {
  if (files === before.files) return;
  const here = keyOf({ model: "", path: "" }).slice(0, -1);
  for (const [key, session] of open) {
    const change = files.get(fileKey(session.file.model, session.file.path));
    if (key.startsWith(here) && change?.version === "") session.onDisk("");
  }
});

/** The session of a file: the one that is open already, else a new one. */
export function sessionOf(file: FileId, repository = openedRepository()): Session {
  const key = keyOf(file, repository);
  const known = open.get(key);
  if (known) {
    open.delete(key);
    open.set(key, known);
    return known;
  }
  const session = createSession(file, repository);
  open.set(key, session);
  session.store.subscribe(tellWindow);
  session.store.subscribe(noteDeleted);
  forgetOldest();
  return session;
}

/** A model is called otherwise now: its open files go on as they are, with their undo history. */
export function renameSessions(from: string, to: string): void {
  const here = keyOf({ model: from, path: "" });
  for (const [key, session] of [...open]) {
    if (!key.startsWith(here)) continue;
    open.delete(key);
    session.rename(to);
    open.set(keyOf(session.file), session);
  }
}

/** The session of a file that is open. */
export const openSession = (file: FileId): Session | undefined => open.get(keyOf(file));

/** Shows a part of an open file, remembering where one was. */
export function jump(session: Session, ...sight: Parameters<Session["reveal"]>): void {
  leaveMark();
  session.reveal(...sight);
}

/** While the app does not answer, keys are in this page alone, and so is a text that the app does not keep. */
function onlyHere(): Session[] {
  const lost = useWorkspace.getState().connection === "lost";
  return [...open.values()].filter(
    (session) => (lost && session.isHereAlone()) || session.store.getState().notKept !== "",
  );
}

// A browser asks before it drops them.
window.addEventListener("beforeunload", (event) => {
  if (onlyHere().length > 0) event.preventDefault();
});

let told = "";

/** The desktop window closes without this event, so that it has to know beforehand. */
function tellWindow(): void {
  const files = onlyHere().map(({ file: { model, path } }) => `${model}/${path}`);
  if (files.join("\n") === told) return;
  told = files.join("\n");
  void native()?.SetAlone(files);
}

useWorkspace.subscribe(tellWindow);

// The page goes away, for good perhaps: nothing waits any more.
window.addEventListener("pagehide", () => {
  for (const session of open.values()) session.flush();
});
