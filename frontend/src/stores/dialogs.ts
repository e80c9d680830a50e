import { create } from "zustand";

export type DialogName = "about" | "newModel" | "openRepository" | "renameModel" | "unsaved";

/** Which of the window's own dialogs is open; they can be asked for from several places. */
export const useDialogs = create<{ open?: DialogName; model?: string }>(() => ({}));

/** Opens one; some are about a model. */
export const openDialog = (open: DialogName, model?: string): void => useDialogs.setState({ open, model });
export const closeDialog = (): void => useDialogs.setState({ open: undefined });
