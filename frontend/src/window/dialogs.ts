import { create } from "zustand";

export type DialogName =
  | "about"
  | "compareAnswers"
  | "confirmControl"
  | "convert"
  | "delete"
  | "devices"
  | "explain"
  | "handover"
  | "keys"
  | "newModel"
  | "openRepository"
  | "packages"
  | "renameFile"
  | "renameModel"
  | "runtimes"
  | "server"
  | "unload"
  | "unsaved";

/** Which of the window's own dialogs is open; they can be asked for from several places. */
export const useDialogs = create<{ open?: DialogName; model?: string; path?: string; rule?: string }>(
  () => ({}),
);

type Opened = { open: DialogName; model?: string | undefined; path?: string; rule?: string };

/** Asks in the open dialog, when another one would take its place. */
let asks: (() => void) | undefined;

/** While ask is set, no other dialog takes the place of the open one: it asks instead. */
export const holdDialog = (ask: (() => void) | undefined): void => {
  asks = ask;
};

const show = (next: Opened): void => (asks ? asks() : useDialogs.setState(next));

/** Opens one; some are about a model. */
export const openDialog = (open: DialogName, model?: string): void => show({ open, model });
/** Asks before a file or a folder of a model is deleted, or the model where path is "". */
export const askDelete = (model: string, path = ""): void =>
  show({ open: "delete", model, path: path.replace(/\/$/, "") });
/** Asks for the new path of a file of a model. */
export const askRename = (model: string, path: string): void => show({ open: "renameFile", model, path });
/** Opens the explanation of a rule. */
export const explainRule = (rule: string): void => show({ open: "explain", rule });
/** Whether something modal is on the screen: the keys of what lies under it do nothing. */
export const dialogIsOpen = (): boolean => document.querySelector("[role=dialog]") !== null;
export const closeDialog = (): void => useDialogs.setState({ open: undefined });
