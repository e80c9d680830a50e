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

export type Written = { ok: true } | { ok: false; why: string; changed?: boolean };

/** What on disk the file's text began from: its draft's begin, where it has one. */
export const baseVersion = ({ model, path, version }: FileToWrite) =>
  draftOf(model, path)?.baseVersion ?? version;

export const named = ({ model, path }: { model: string; path: string }) => `${model}/${path}`;

/** Why nothing was done. */
export const changedMeanwhile = (files: readonly { model: string; path: string }[]) =>
  `Changed on disk meanwhile: ${files.map(named).join(", ")}. Nothing was written.`;

async function putBack(files: readonly FileToWrite[], done: string): Promise<void> {
  const edited = files.find(({ model, path }) => draftOf(model, path));
  if (edited) {
    const detail = `${named(edited)} has been edited since; save it first.`;
    toast({ level: "error", text: "That was not undone", detail });
    return;
  }
  const answer = await writeFiles(files);
  if (answer.ok) toast({ level: "info", text: `Undone: ${done}` });
  else toast({ level: "error", text: "That was not undone", detail: answer.why });
}

/**
 * The way back: each file as it was, from what is on disk now. What was not saved of one was part of the change, so
 * it is part of the way back too.
 */
const wayBack = (written: readonly WrittenFile[]): FileToWrite[] =>
  written.map(({ model, path, before, version }) => ({
    model,
    path,
    text: draftOf(model, path)?.text ?? before,
    version,
  }));

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
      return { ok: false, why: changedMeanwhile(answer.changed), changed: true };
    }
    const back = wayBack(answer.files);
    files.forEach(({ model, path, text }, index) => {
      // What was not saved of them was part of what is on disk now.
      dropDraft(model, path);
      openSession({ model, path })?.adopt(text, answer.files[index]?.version ?? "");
    });
    if (done) {
      const action = { label: "Undo", run: () => void putBack(back, done) };
      toast({ level: "info", text: done, action });
    }
    return { ok: true };
  } catch (error) {
    return { ok: false, why: describeError(error).message };
  }
}
