import { toast, toastError } from "../../window/toasts";
import { deleteFiles } from "./deleteFiles";

/** Takes a version that was just made back: it goes to the trash, with what was put into it since. */
export const undoVersion = (model: string, number: string) => ({
  label: "Undo",
  run: () => {
    deleteFiles(model, number, [], new AbortController().signal).catch((error) =>
      toastError(`Version ${number} of ${model} was not removed`, error, { names: [model] }),
    );
  },
});

/** Says that a version was made. It can be taken back for as long as it is told. */
export const tellNewVersion = (model: string, number: string) =>
  toast({
    level: "info",
    names: [model],
    text: `Version ${number} of ${model} was made`,
    action: undoVersion(model, number),
  });
