import { clients } from "../../api/client";
import { ModelState } from "../../api/conch_pb";
import { closeFiles } from "../../window/openFiles";
import { goToRepository, usePlace } from "../../window/place";
import { toast, toastError, useToasts } from "../../window/toasts";
import { tellUnkept } from "../../workspace/drafts";
import { quietly, servingWith } from "../../workspace/modelActions";
import { openedRepository, useWorkspace } from "../../workspace/workspace";

/** What is deleted, as people call it. */
export function nameOf(model: string, path: string): string {
  if (path === "") return `model ${model}`;
  return /^[1-9]\d*$/.test(path) ? `version ${path} of ${model}` : `${model}/${path}`;
}

/** The identifier in that: a path, or else the model alone. */
const named = (model: string, path: string): string => {
  const name = nameOf(model, path);
  return name.startsWith(`${model}/`) ? name : model;
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Only a path begins with a name, which is written as it is. */
const asBegin = (model: string, path: string): string => {
  const name = nameOf(model, path);
  return name === named(model, path) ? name : capital(name);
};

/** Something that was moved to the trash. */
interface Deleted {
  repository: string;
  model: string;
  path: string;
  id: bigint;
  detail?: string;
  /** It was put back; perhaps not all of its unsaved texts. */
  back?: boolean;
}

/** Those of the message that is shown, oldest first. */
let together: Deleted[] = [];

/** Says what was deleted, in one message with what it told before: several would cover the list. */
function tell(one: Deleted): void {
  const isShown = useToasts.getState().toasts.some(({ about }) => about === "deleted");
  const before = isShown ? together : [];
  const all = [...before.filter(({ back, repository }) => !back && repository === one.repository), one];
  together = all;
  const details = all.flatMap(({ detail }) => detail ?? []);
  const level = details.length > 0 ? "warning" : "info";
  const single = `${asBegin(one.model, one.path)} was moved to the trash`;
  const names = all.map(({ model, path }) => nameOf(model, path)).join(", ");
  toast({
    level,
    about: "deleted",
    text: all.length === 1 ? single : `${all.length} things were moved to the trash`,
    detail: (all.length === 1 ? details : [names, ...details]).join(" · ") || undefined,
    names: all.map(({ model, path }) => named(model, path)),
    action: { label: all.length === 1 ? "Undo" : "Undo all", run: () => void undoAll(all) },
  });
}

/** The newest first: a file's folder may have gone after it. */
async function undoAll(all: readonly Deleted[]): Promise<void> {
  for (const one of all.toReversed()) if (!one.back) await undo(one);
}

async function undo(one: Deleted): Promise<void> {
  const { model, path, id, repository } = one;
  const name = asBegin(model, path);
  const again = { label: "Try again", run: () => void undo(one) };
  const before = one.back;
  try {
    const kept = await quietly([model, ...servingWith(model)], () =>
      clients.editor.undoDelete({ id, repository }),
    );
    one.back = true;
    if (kept.unkept.length > 0) tellUnkept(`${name} was put back, but not its unsaved changes`, kept, again);
    else
      toast({
        level: "info",
        names: [named(model, path)],
        text: before ? `The unsaved changes of ${nameOf(model, path)} are back` : `${name} was put back`,
      });
  } catch (error) {
    const what = before
      ? `The unsaved changes of ${nameOf(model, path)} are not back`
      : `${name} was not put back`;
    toastError(what, error, { action: again, names: [named(model, path)] });
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
  const detail = still === "" ? undefined : `It serves until ${model} is unloaded: ${still}`;
  tell({ repository, model, path, id, detail });
}

/** Who uses a model: the ensembles that are made of it, and the models that have called it. */
export function usersOf(name: string): { ensembles: string[]; serving: string[]; callers: string[] } {
  const { models } = useWorkspace.getState();
  const callers = [...models.values()]
    .filter((other) => other.calls.includes(name) && other.state !== ModelState.UNLOADED)
    .map((other) => other.name);
  return { ensembles: models.get(name)?.usedBy ?? [], serving: servingWith(name), callers };
}
