import { native } from "../../window/native";
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
