/** Files that were dropped as a new model, and become a version of an existing model instead. Its tab Files asks for the number. */
import { create } from "zustand";
import { goToModel } from "./place";

type VersionFiles = { readonly model: string; readonly files: readonly File[] };

const none: VersionFiles = { model: "", files: [] };

export const useVersionFiles = create<VersionFiles>(() => none);

/** Goes to the tab Files of a model, which asks for the number of the version. */
export function makeVersionOf(model: string, files: readonly File[]): void {
  useVersionFiles.setState({ model, files });
  goToModel(model, "files");
}

export const forgetVersionFiles = (): void => useVersionFiles.setState(none);
