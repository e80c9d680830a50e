import { clients } from "../../api/client";
import type { WrittenFile } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { draftOf, dropDraft } from "../../stores/drafts";
import { toast } from "../../stores/toasts";
import { openSession } from "./sessions";

export interface FileToWrite {
  model: string;
  path: string;
  text: string;
  /** What on disk the text began from. */
  version: string;
}

export type Written = { ok: true } | { ok: false; why: string };

/** What on disk the file's text began from: its draft's begin, where it has one. */
const baseVersion = ({ model, path, version }: FileToWrite) => draftOf(model, path)?.baseVersion ?? version;

const named = ({ model, path }: { model: string; path: string }) => `${model}/${path}`;

async function putBack(files: readonly WrittenFile[], done: string): Promise<void> {
  const answer = await writeFiles(
    files.map(({ model, path, before, version }) => ({ model, path, text: before, version })),
  );
  if (answer.ok) toast({ level: "info", text: `Undone: ${done}` });
  else toast({ level: "error", text: "That was not undone", detail: answer.why });
}

/** Writes all files or none; done, for a toast, says what was done and lets it be undone. */
export async function writeFiles(files: readonly FileToWrite[], done?: string): Promise<Written> {
  try {
    const answer = await clients.editor.writeFiles({
      files: files.map((file) => ({
        model: file.model,
        path: file.path,
        text: file.text,
        baseVersion: baseVersion(file),
      })),
    });
    if (answer.changed.length > 0) {
      return {
        ok: false,
        why: `Changed on disk meanwhile: ${answer.changed.map(named).join(", ")}. Nothing was written.`,
      };
    }
    files.forEach(({ model, path, text }, index) => {
      // What was not saved of them was part of what is on disk now.
      dropDraft(model, path);
      openSession({ model, path })?.adopt(text, answer.files[index]?.version ?? "");
    });
    if (done) {
      const action = { label: "Undo", run: () => void putBack(answer.files, done) };
      toast({ level: "info", text: done, action });
    }
    return { ok: true };
  } catch (error) {
    return { ok: false, why: describeError(error).message };
  }
}
