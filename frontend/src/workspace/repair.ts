import { clients } from "../api/client";
import type { Diagnostic, FileProblems, Fix, TextEdit } from "../api/conch_pb";
import { openToType } from "../window/openFiles";
import { revealInConfig } from "../window/place";
import { settle, toast, toastError } from "../window/toasts";
import { draftOf } from "./drafts";
import { makeFolder, makeText, moveThing, type Undo, undoSaying } from "./making";
import { openedRepository } from "./workspace";

/** A text with edits made, which do not overlap. */
export function edited(text: string, edits: readonly TextEdit[]): string {
  return [...edits]
    .sort((a, b) => b.from - a.from)
    .reduce((done, { from, to, insert }) => done.slice(0, from) + insert + done.slice(to), text);
}

interface Change {
  model: string;
  path: string;
  text: string;
  version: string;
  repository: string;
}

async function write({ model, path, text, version, repository }: Change): Promise<Change> {
  const { files, changed } = await clients.editor.writeFiles({
    repository,
    files: [{ model, path, text, baseVersion: version }],
  });
  const [written] = files;
  if (changed.length > 0 || !written)
    throw new Error(`${model}/${path} changed on disk meanwhile; nothing was written`);
  return { model, path, text: written.before, version: written.version, repository };
}

const failed = (error: unknown) => toastError("The problem was not fixed", error);

/** The fix as it is proposed now: places in the text may have moved since it was listed. */
export function fixNow(
  diagnostics: readonly Diagnostic[],
  { code, message }: Diagnostic,
  { title }: Fix,
): Fix {
  const now = diagnostics.find((one) => one.code === code && one.message === message);
  const fix = now?.fixes.find((one) => one.title === title);
  if (!fix) throw new Error("The file has changed and no longer has this problem");
  return fix;
}

type FixUnsaved = (file: { model: string; path: string }, found: Diagnostic, fix: Fix) => Promise<Done>;

/** What was done: the fix as it fitted the text, and how to undo it, which fails where that can no longer be done. */
type Done = { readonly fix: Fix; readonly undo: Undo };

let fixUnsaved: FixUnsaved | undefined;

/** The editor holds the unsaved texts, and applies the fixes of theirs. */
export function fixUnsavedWith(apply: FixUnsaved): void {
  fixUnsaved = apply;
}

function told(model: string, { title }: Fix, how: string, undo: Undo): () => void {
  const run = undoSaying(undo);
  toast({
    level: "info",
    names: [model],
    text: `${model}: ${title.charAt(0).toLowerCase()}${title.slice(1)}, ${how}`,
    action: { label: "Undo", run },
  });
  return run;
}

/** Repairs the file on disk as it is now. */
async function repairFile(
  { model, path }: FileProblems,
  found: Diagnostic,
  listed: Fix,
): Promise<() => void> {
  const repository = openedRepository();
  const { text, version } = await clients.editor.readFile({ model, path, repository });
  const { diagnostics } = await clients.editor.analyze({ model, path, text });
  const fix = fixNow(diagnostics, found, listed);
  const before = await write({ model, path, text: edited(text, fix.edits), version, repository });
  settle(`model ${model}`); // what was said of the file as it was before
  return told(model, fix, "saved", () => write(before));
}

/** Where a person goes on with a fix that Conch cannot finish, in the text that it has been made in. */
function unfinishedIn({ edits: [edit], unfinished }: Fix): { from: number; to: number } | undefined {
  const at = unfinished === "" ? -1 : (edit?.insert.indexOf(unfinished) ?? -1);
  return edit && at >= 0 ? { from: edit.from + at, to: edit.from + at + unfinished.length } : undefined;
}

/** Whether a fix makes or moves a folder or a file, and leaves the text as it is. */
export const makesFile = ({ folder, file, moved }: Fix): boolean =>
  folder !== "" || file !== undefined || moved !== undefined;

/**
 * Makes the folder or the file that a model lacks, or moves one there, and returns how to undo it. A new file is opened:
 * people go on in it.
 */
export async function makeFile(model: string, { folder, file, moved }: Fix): Promise<() => void> {
  if (moved) return moveThing(model, moved.path, moved.to);
  if (!file) return makeFolder(model, folder);
  const undo = await makeText(model, file.path, file.text);
  openToType(model, file.path);
  return undo;
}

/** The same for a button: what goes wrong is said. */
export const makeFileFor = (model: string, fix: Fix): Promise<unknown> => makeFile(model, fix).catch(failed);

/**
 * Does what a fix proposes, and returns how to undo it. A file with unsaved changes gets it in its unsaved text. So does
 * any file where a person finishes the fix, at the place that is shown: what is not finished would not load.
 */
export async function repair(
  file: FileProblems,
  found: Diagnostic,
  fix: Fix,
): Promise<(() => void) | undefined> {
  const { model, path } = file;
  try {
    if (makesFile(fix)) return await makeFile(model, fix);
    const unfinished = unfinishedIn(fix);
    if (!fixUnsaved || (!unfinished && !draftOf(model, path))) return await repairFile(file, found, fix);
    const done = await fixUnsaved(file, found, fix);
    const place = unfinishedIn(done.fix);
    if (place) revealInConfig(model, { path, ...place });
    return told(model, fix, "not saved yet", done.undo);
  } catch (error) {
    failed(error);
  }
  return undefined;
}
