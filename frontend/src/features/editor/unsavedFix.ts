import { clients } from "../../api/client";
import type { Diagnostic, Fix } from "../../api/conch_pb";
import { edited, fixNow } from "../../workspace/repair";
import type { FileId } from "./fileId";
import type { Session } from "./session";
import { sessionOf } from "./sessions";

/** The text has been read; throws where it cannot be changed. */
async function ready(session: Session): Promise<void> {
  const { store, file } = session;
  await new Promise<void>((resolve) => {
    const look = () => {
      if (store.getState().status === "reading") return;
      stop();
      resolve();
    };
    const stop = store.subscribe(look);
    look();
  });
  const { status, error, readOnly, conflict } = store.getState();
  if (status === "failed") throw error;
  if (readOnly) throw new Error(`${file.model}/${file.path} is read-only`);
  if (conflict)
    throw new Error(`${file.model}/${file.path} changed on disk. Open it and choose a text first`);
}

/**
 * Applies a fix to the unsaved text of a file, as an edit that the editor can undo. The text is judged again first,
 * because it may have changed. Returns the fix as it fitted the text, and how to undo it,
 * which throws where it can no longer be done.
 */
export async function fixUnsaved({ model, path }: FileId, found: Diagnostic, listed: Fix) {
  const session = sessionOf({ model, path });
  await ready(session);
  const before = session.text();
  const { diagnostics } = await clients.editor.analyze({ model, path, text: before });
  const fix = fixNow(diagnostics, found, listed);
  const after = edited(before, fix.edits);
  if (session.text() !== before) throw new Error("The text was changed meanwhile. Try again");
  session.replace(after);
  const undo = () => {
    if (session.text() !== after)
      throw new Error(`${model}/${path} has been edited since. Undo in the editor takes back step by step`);
    session.replace(before);
  };
  return { fix, undo };
}
