import { clients } from "../../api/client";
import { ModelState } from "../../api/conch_pb";
import { closeFiles } from "../../window/openFiles";
import { goToRepository, usePlace } from "../../window/place";
import { toast, toastError } from "../../window/toasts";
import { quietly, servingWith } from "../../workspace/modelActions";
import { openedRepository, useWorkspace } from "../../workspace/workspace";

/** What is deleted, as people call it. */
export function nameOf(model: string, path: string): string {
  if (path === "") return `model ${model}`;
  return /^[1-9]\d*$/.test(path) ? `version ${path} of ${model}` : `${model}/${path}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Only a path begins with a name, which is written as it is. */
const asBegin = (model: string, path: string): string => {
  const name = nameOf(model, path);
  return name.startsWith(`${model}/`) ? name : capital(name);
};

async function undo(model: string, path: string, id: bigint): Promise<void> {
  try {
    await quietly([model, ...servingWith(model)], () =>
      clients.editor.undoDelete({ id, repository: openedRepository() }),
    );
    toast({ level: "info", text: `${asBegin(model, path)} was put back` });
  } catch (error) {
    toastError(`${asBegin(model, path)} was not put back`, error);
  }
}

/** Moves a file, a folder or a model to the trash, with the unsaved texts that a person agreed to lose. */
export async function deleteFiles(
  model: string,
  path: string,
  drafts: bigint[],
  signal: AbortSignal,
): Promise<void> {
  const repository = openedRepository();
  const { id, still } = await quietly([model, ...servingWith(model)], () =>
    clients.editor.delete({ model, path, drafts, repository }, { signal }),
  );
  closeFiles(model, path);
  if (path === "" && usePlace.getState().model === model) goToRepository();
  const action = { label: "Undo", run: () => void undo(model, path, id) };
  const text = `${asBegin(model, path)} was moved to the trash`;
  if (still === "") toast({ level: "info", text, action });
  else toast({ level: "warning", text, detail: `It serves until ${model} is unloaded: ${still}`, action });
}

/** Who uses a model: the ensembles that are made of it, and the models that have called it. */
export function usersOf(name: string): { ensembles: string[]; serving: string[]; callers: string[] } {
  const { models } = useWorkspace.getState();
  const callers = [...models.values()]
    .filter((other) => other.calls.includes(name) && other.state !== ModelState.UNLOADED)
    .map((other) => other.name);
  return { ensembles: models.get(name)?.usedBy ?? [], serving: servingWith(name), callers };
}
