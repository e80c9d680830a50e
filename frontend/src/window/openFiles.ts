import { create } from "zustand";
import { goToModel, revealInConfig, usePlace } from "./place";

/** Which file of each model the editor shows, where that is not its config. */
const useOpenFiles = create<Readonly<Record<string, string>>>(() => ({}));

/** The file of a model that the editor shows. */
export const useOpenFile = (model: string, config: string): string =>
  useOpenFiles((open) => open[model] ?? config);

/** Opens a file of a model in the editor: at a line, or where one was in it. */
export function openFile(model: string, path: string, line?: number): void {
  useOpenFiles.setState({ [model]: path });
  if (line) revealInConfig(model, { path, from: 0, to: 0, line });
  else goToModel(model, "config");
}

// A file is open when a place in it is shown.
usePlace.subscribe(({ model, reveal, restore }, before) => {
  if (reveal && reveal !== before.reveal) useOpenFiles.setState({ [model]: reveal.path });
  else if (restore && restore !== before.restore) useOpenFiles.setState({ [model]: restore.path });
});
