import { draftOf } from "../../stores/drafts";
import { leaveMark } from "../../stores/trail";
import type { FileId } from "./fileId";
import { createSession, type Session } from "./session";

/** Open files that are kept with their undo history; unsaved ones are kept beyond that. */
const KEPT = 30;

const open = new Map<string, Session>();

const keyOf = ({ model, path }: FileId) => `${model}/${path}`;

function forgetOldest(): void {
  for (const [key, session] of open) {
    if (open.size <= KEPT) return;
    if (!session.store.getState().edited && !draftOf(session.file.model, session.file.path)) open.delete(key);
  }
}

/** The session of a file: the one that is open already, else a new one. */
export function sessionOf(file: FileId): Session {
  const key = keyOf(file);
  const known = open.get(key);
  if (known) {
    open.delete(key);
    open.set(key, known);
    return known;
  }
  const session = createSession(file);
  open.set(key, session);
  forgetOldest();
  return session;
}

/** A model is called otherwise now: its open files go on as they are, with their undo history. */
export function renameSessions(from: string, to: string): void {
  for (const [key, session] of [...open]) {
    if (session.file.model !== from) continue;
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
