/** What is chosen in the graph of each ensemble, and whether its detail is open. */
import { create } from "zustand";

export type Selection = { readonly id: string; readonly open: boolean };

const nothing: Selection = { id: "", open: false };

const useSelections = create<Readonly<Record<string, Selection>>>(() => ({}));

export const useSelection = (model: string): Selection => useSelections((state) => state[model] ?? nothing);

const selectionOf = (model: string): Selection => useSelections.getState()[model] ?? nothing;

/** Chooses a node or edge. The detail opens or closes only where that is said. */
export function select(model: string, id: string, open = id !== "" && selectionOf(model).open): void {
  useSelections.setState({ [model]: { id, open } });
}

/** Opens the detail of a node or edge. */
export const openDetail = (model: string, id = selectionOf(model).id): void => {
  if (id !== "") select(model, id, true);
};

/** Closes the detail; what is chosen stays chosen, so that the arrows go on from there. */
export const closeDetail = (model: string): void => select(model, selectionOf(model).id, false);
