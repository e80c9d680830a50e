import { clients } from "../../api/client";
import { moveOpenFile } from "../../window/openFiles";
import { toast, toastError } from "../../window/toasts";
import { openedRepository } from "../../workspace/workspace";

async function move(model: string, path: string, to: string, repository: string): Promise<void> {
  await clients.editor.moveFile({ model, path, to, repository });
  moveOpenFile(model, path, to);
}

/** Gives a file of a model another path. It can be taken back for as long as it is told. */
export async function renameFile(model: string, path: string, to: string): Promise<void> {
  const repository = openedRepository();
  await move(model, path, to, repository);
  const back = () =>
    move(model, to, path, repository).catch((error) => toastError("The change was not undone", error));
  const names = [`${model}/${path}`, to];
  toast({
    level: "info",
    names,
    text: `${model}/${path} is now ${to}`,
    action: { label: "Undo", run: () => void back() },
  });
}
