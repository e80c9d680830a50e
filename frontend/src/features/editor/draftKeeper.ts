import { type Draft, dropDraft, setDraft } from "../../stores/drafts";
import type { FileId } from "./fileId";

const AFTER_MS = 200;

/** Keeps a text that is not saved, with a pause between two keystrokes; draft gives nothing once it is saved. */
export function createDraftKeeper(file: FileId, draft: () => Draft | undefined) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  function keep(): void {
    clearTimeout(timer);
    timer = undefined;
    const unsaved = draft();
    if (unsaved) setDraft(unsaved);
    else dropDraft(file.model, file.path);
  }
  return {
    now: keep,
    soon: () => {
      timer ??= setTimeout(keep, AFTER_MS);
    },
    /** Does now what waits for its time. */
    flush: () => {
      if (timer) keep();
    },
  };
}
