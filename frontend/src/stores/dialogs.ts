import { create } from "zustand";

export type DialogName = "newModel" | "openRepository";

/** Which of the window's own dialogs is open; they can be asked for from several places. */
export const useDialogs = create<{ open?: DialogName }>(() => ({}));

export const openDialog = (open: DialogName): void => useDialogs.setState({ open });
export const closeDialog = (): void => useDialogs.setState({ open: undefined });
