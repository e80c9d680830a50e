import { create } from "zustand";

export type DialogName =
  | "about"
  | "confirmControl"
  | "convert"
  | "devices"
  | "explain"
  | "handover"
  | "keys"
  | "newModel"
  | "openRepository"
  | "packages"
  | "renameModel"
  | "runtimes"
  | "server"
  | "unload"
  | "unsaved";

/** Which of the window's own dialogs is open; they can be asked for from several places. */
export const useDialogs = create<{ open?: DialogName; model?: string; rule?: string }>(() => ({}));

/** Opens one; some are about a model. */
export const openDialog = (open: DialogName, model?: string): void => useDialogs.setState({ open, model });
/** Opens the explanation of a rule. */
export const explainRule = (rule: string): void => useDialogs.setState({ open: "explain", rule });
/** Whether something modal is on the screen: the keys of what lies under it do nothing. */
export const dialogIsOpen = (): boolean => document.querySelector("[role=dialog]") !== null;
export const closeDialog = (): void => useDialogs.setState({ open: undefined });
