import { clients } from "../../api/client";
import type { WrittenFile } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { toast } from "../../window/toasts";
import { draftOf, fileOf } from "../../workspace/drafts";
import { openedRepository } from "../../workspace/workspace";
import { openSession } from "./sessions";

export interface FileToWrite {
  model: string;
  path: string;
  text: string;
  /** What on disk the text began from. */
  version: string;
  /** The unsaved text that is part of it; none when there is none. */
  draftVersion?: bigint;
  /** What is unsaved over it then. */
  draft?: string;
}

export type Written = { ok: true } | { ok: false; why: string; changed?: boolean };

/** Why nothing was done. */
export const changedMeanwhile = (files: readonly { model: string; path: string }[]) =>
  `Changed meanwhile: ${files.map(fileOf).join(", ")}. Nothing was written.`;

export const toWrite = ({ model, path, text, version, draftVersion, draft }: FileToWrite) => ({
  model,
  path,
  text,
  baseVersion: version,
  draftVersion: draftVersion ?? 0n,
  draft,
});

async function putBack(files: readonly FileToWrite[], done: Done, repository: string): Promise<void> {
  const edited = files.find(({ model, path }) => draftOf(model, path));
  if (edited) {
    const detail = `${fileOf(edited)} has been edited since; save it first.`;
    toast({ level: "error", text: "The change was not undone", detail });
    return;
  }
  const answer = await writeFiles(files, undefined, repository);
  if (answer.ok) toast({ level: "info", ...done, text: `Undone: ${done.text}` });
  else toast({ level: "error", text: "The change was not undone", detail: answer.why });
}

/** The way back: each file as it was, what was saved of it and what was not, from what is on disk now. */
export const wayBack = (written: readonly WrittenFile[]): FileToWrite[] =>
  written.map(({ model, path, before, draft, version }) => ({ model, path, text: before, draft, version }));

/** What a toast says of it, and the identifiers in that. */
interface Done {
  readonly text: string;
  readonly names: readonly string[];
}

/** Writes all files or none; done, for a toast, says what was done and lets it be undone. */
export async function writeFiles(
  files: readonly FileToWrite[],
  done?: Done,
  repository = openedRepository(),
): Promise<Written> {
  try {
    const answer = await clients.editor.writeFiles({ repository, files: files.map(toWrite) });
    if (answer.changed.length > 0) {
      return { ok: false, why: changedMeanwhile(answer.changed), changed: true };
    }
    const back = wayBack(answer.files);
    files.forEach(({ model, path, text, draft }, index) => {
      openSession({ model, path })?.adopt({ text, version: answer.files[index]?.version ?? "" }, draft);
    });
    if (done) {
      const action = { label: "Undo", run: () => void putBack(back, done, repository) };
      toast({ level: "info", ...done, action });
    }
    return { ok: true };
  } catch (error) {
    return { ok: false, why: describeError(error).message };
  }
}
