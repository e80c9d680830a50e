import { clients } from "../api/client";
import type { Diagnostic, FileProblems, Fix, TextEdit } from "../api/conch_pb";
import { revealInConfig } from "../window/place";
import { settle, toast, toastError } from "../window/toasts";
import { hasDraft } from "./drafts";
import { openedRepository, useWorkspace } from "./workspace";

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

/** Repairs the file on disk as it is now; the fix is asked for again, because the list may be older. */
async function repairFile(
  { model, path }: FileProblems,
  found: Diagnostic,
  { title }: Fix,
): Promise<() => void> {
  const repository = openedRepository();
  const { text, version } = await clients.editor.readFile({ model, path, repository });
  const { diagnostics } = await clients.editor.analyze({ model, path, text });
  const now = diagnostics.find(({ code, message }) => code === found.code && message === found.message);
  const fix = now?.fixes.find((one) => one.title === title);
  if (!fix) throw new Error("The file has changed and no longer has this problem");
  const before = await write({ model, path, text: edited(text, fix.edits), version, repository });
  settle(`model ${model}`); // what was said of the file as it was before
  const undo = () => void write(before).catch(failed);
  toast({
    level: "info",
    text: `${model}: ${title.charAt(0).toLowerCase()}${title.slice(1)}, saved`,
    action: { label: "Undo", run: undo },
  });
  return undo;
}

/** Does what a fix proposes, and returns how to undo it. A file with unsaved changes is opened instead: the fix waits there. */
export async function repair(
  file: FileProblems,
  found: Diagnostic,
  fix: Fix,
): Promise<(() => void) | undefined> {
  const { model, path } = file;
  if (hasDraft(useWorkspace.getState(), model)) {
    revealInConfig(model, { path, from: found.from, to: found.to });
    return undefined;
  }
  try {
    if (fix.folder === "") return await repairFile(file, found, fix);
    await clients.editor.createFolder({ model, path: fix.folder, repository: openedRepository() });
    toast({ level: "info", text: `${model}/${fix.folder}/ was created` });
  } catch (error) {
    failed(error);
  }
  return undefined;
}
