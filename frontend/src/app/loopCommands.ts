import type { ModelSummary } from "../api/conch_pb";
import { modelQuery, queryClient } from "../api/queries";
import { askEditor } from "../window/asked";
import { keys, readable } from "../window/keys";
import { goToModel } from "../window/place";
import type { Command } from "./command";

// The editor and the request form are most of the program; what they do is fetched when it is asked for.

async function withSession(model: ModelSummary, run: "save" | "format"): Promise<void> {
  const { openSession } = await import("../features/editor/sessions");
  const session = openSession({ model: model.name, path: model.configPath || "config.pbtxt" });
  await session?.[run]();
}

/** The editor is on the first tab, but for an ensemble, whose first tab is its graph. */
function inEditor({ name, ensemble }: ModelSummary, what: "search" | "outline"): void {
  goToModel(name, ensemble ? "config" : "try");
  askEditor(what);
}

async function sendNow(name: string): Promise<void> {
  const { send } = await import("../features/try/send");
  goToModel(name, "try");
  await send(await queryClient.ensureQueryData(modelQuery(name)));
}

async function stopNow(name: string): Promise<void> {
  const { stop } = await import("../features/try/send");
  await stop(name);
}

async function copyRequest(name: string, id: string): Promise<void> {
  const { copyAs, languages } = await import("../features/try/snippet");
  const language = languages.find((known) => known.id === id);
  if (language) await copyAs(language, await queryClient.ensureQueryData(modelQuery(name)));
}

/** Save, format, send and copy, for the model on the screen. */
export function loopCommands(model: ModelSummary): Command[] {
  const { name } = model;
  const copies = ["curl", "Python", "grpcurl"].map((language) => ({
    label: `Copy the request as ${language}`,
    words: "snippet client command",
    needs: "app" as const,
    run: () => void copyRequest(name, language.toLowerCase()),
  }));
  return [
    {
      label: "Send the request",
      words: "try infer run",
      shortcut: readable(keys.send),
      needs: "engine",
      run: () => void sendNow(name),
    },
    {
      label: "Stop the request",
      words: "cancel abort",
      needs: "app",
      run: () => void stopNow(name),
    },
    {
      label: "Save the config",
      shortcut: readable(keys.save),
      needs: "app",
      run: () => void withSession(model, "save"),
    },
    {
      label: "Format the config",
      words: "pretty indent",
      needs: "app",
      run: () => void withSession(model, "format"),
    },
    {
      label: "Search in the config",
      words: "find replace",
      shortcut: readable(keys.search),
      run: () => inEditor(model, "search"),
    },
    {
      label: "Outline of the config",
      words: "go to part",
      shortcut: readable(keys.outline),
      run: () => inEditor(model, "outline"),
    },
    ...copies,
  ];
}
