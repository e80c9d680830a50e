/** Files and folders of a model are made and moved here, each with its Undo. */
import { clients } from "../api/client";
import { closeFiles, moveOpenFile } from "../window/openFiles";
import { toast, toastError } from "../window/toasts";
import { quietly, servingWith } from "./modelActions";
import { openedRepository } from "./workspace";

/** How something is undone; it fails where that can no longer be done. */
export type Undo = () => unknown; // perhaps a promise

/** An undo for a button: what goes wrong is said. */
export const undoSaying = (undo: Undo) => (): void =>
  void (async () => undo())().catch((error) => toastError("The change was not undone", error));

function tell(text: string, names: readonly string[], undo: Undo): () => void {
  const run = undoSaying(undo);
  toast({ level: "info", names: [...names], text, action: { label: "Undo", run } });
  return run;
}

interface Thing {
  model: string;
  path: string;
  repository: string;
}

/** Moves what was made to the trash. What serves from it is unloaded first. */
async function remove({ model, path, repository }: Thing): Promise<void> {
  await quietly([model, ...servingWith(model)], () =>
    clients.editor.delete({ model, path, repository, drafts: [] }),
  );
  closeFiles(model, path);
}

/** A folder that was made goes as long as no file is in it. */
async function removeEmpty(folder: Thing): Promise<void> {
  const { count } = await clients.editor.planDelete(folder);
  if (count > 0)
    throw new Error(`Something is in ${folder.model}/${folder.path}/ by now. Delete it in Files`);
  await remove(folder);
}

/** Makes a folder of a model, and returns how to undo it. */
export async function makeFolder(model: string, path: string): Promise<() => void> {
  const repository = openedRepository();
  const { made } = await clients.editor.createFolder({ model, path, repository });
  const name = `${model}/${path}/`;
  return tell(`${name} was created`, [name], () => removeEmpty({ model, path: made || path, repository }));
}

/** Makes a file of a model, and returns how to undo it. */
export async function makeText(model: string, path: string, text: string): Promise<() => void> {
  const repository = openedRepository();
  const { made } = await clients.editor.createFile({ model, path, text, repository });
  const name = `${model}/${path}`;
  return tell(`${name} was created`, [name], async () => {
    const now = await clients.editor.readFile({ model, path, repository });
    if (now.text !== text) throw new Error(`${name} was changed since. Delete it in Files`);
    await remove({ model, path, repository });
    if (made) await removeEmpty({ model, path: made, repository });
  });
}

/** Gives a file or a folder of a model another path, and returns how to undo it. */
export async function moveThing(model: string, path: string, to: string): Promise<() => void> {
  const repository = openedRepository();
  const move = async (from: string, to: string) => {
    const { made } = await clients.editor.moveFile({ model, path: from, to, repository });
    moveOpenFile(model, from, to);
    return made;
  };
  const made = await move(path, to);
  return tell(`${model}/${path} is now ${to}`, [`${model}/${path}`, to], async () => {
    await move(to, path);
    if (made) await removeEmpty({ model, path: made, repository });
  });
}
