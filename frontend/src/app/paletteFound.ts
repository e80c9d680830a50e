import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { clients } from "../api/client";
import type { FileProblems, FoundTensor, HistoryEntry } from "../api/conch_pb";
import { keys, problemsQuery } from "../api/queries";
import { arrows, middle, moment } from "../lib/format";
import { loadTry } from "../requests/tries";
import { goToModel, goToRepository, revealInConfig } from "../window/place";
import { identifiersIn } from "../workspace/modelsIn";
import type { Command } from "./command";
import { fits } from "./paletteSearch";

/** Of each kind; typing more narrows them down. */
const SHOWN = 8;
/** Of how many requests the newest are searched. */
const NEWEST = 200;

/** A long name leaves room for what follows it. */
const short = (model: string) => middle(model, 28);

/** Goes to where a problem was made; one of the repository itself is in no file. */
const problemCommands = (files: readonly FileProblems[]): Command[] =>
  files.flatMap(({ model, path, diagnostics }) =>
    diagnostics.map(({ message, line, code, from, to }) => ({
      label: model ? `${short(model)}, line ${line}: ${message}` : `${short(path)}: ${message}`,
      names: [short(model || path), ...identifiersIn(message)],
      words: `problem ${code} ${model || path}`,
      run: () => (model ? revealInConfig(model, { path, from, to }) : goToRepository("problems")),
    })),
  );

async function takeBack(id: bigint): Promise<void> {
  const { entry, request, response } = await clients.tryIt.getHistory({ id });
  if (!request) return;
  loadTry(request, Number(entry?.time ?? 0n), response);
  goToModel(request.model, "try");
}

/** Takes a request of the past into its model's form. Its tensors are in its summary. */
const requestCommands = (entries: readonly HistoryEntry[]): Command[] =>
  entries.map(({ id, model, time, summary, error }) => ({
    label: `${short(model)}, ${moment(time)}: ${arrows(summary)}`,
    names: [short(model), arrows(summary)],
    words: `request ${error} ${model}`,
    run: () => void takeBack(id),
  }));

/** Goes to where the config names a tensor, or to the config of the model whose file declares it. */
const tensorCommands = (tensors: readonly FoundTensor[]): Command[] =>
  tensors.map(({ model, name, title, detail, path, from, to }) => ({
    names: [`"${name}"`, model],
    label: title.charAt(0).toUpperCase() + title.slice(1),
    words: "tensor",
    note: detail,
    run: () => (from === to ? goToModel(model, "config") : revealInConfig(model, { path, from, to })),
  }));

/** Problems, tensors and requests that answer what was typed. They are asked for when something is typed. */
export function useFound(text: string): { tensors: Command[]; problems: Command[]; requests: Command[] } {
  const enabled = text.length > 1;
  const problems = useQuery({ ...problemsQuery(), enabled });
  const requests = useQuery({
    queryKey: [...keys.history(""), "palette"],
    queryFn: ({ signal }) => clients.tryIt.listHistory({ model: "", limit: NEWEST }, { signal }),
    staleTime: 0,
    enabled,
  });
  const tensors = useQuery({
    queryKey: ["tensors", text],
    queryFn: ({ signal }) => clients.editor.findTensors({ text, limit: SHOWN }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 10_000,
    enabled,
  });
  if (!enabled) return { tensors: [], problems: [], requests: [] };
  const fitting = (commands: Command[]) => commands.filter((command) => fits(command, text)).slice(0, SHOWN);
  return {
    // Those of what was typed before are shown until the new ones come, as far as they fit.
    tensors: tensorCommands(tensors.data?.tensors ?? []).filter((command) => fits(command, text)),
    problems: fitting(problemCommands(problems.data?.files ?? [])),
    requests: fitting(requestCommands(requests.data?.entries ?? [])),
  };
}
