import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import { keys } from "../../api/queries";
import { draftsIn } from "../../workspace/drafts";
import { openedRepository, useWorkspace, type WorkspaceState } from "../../workspace/workspace";

/** Changes whenever a model of the ensemble does: its tensors may have changed with it. */
const partsOf = (model: string) => (state: WorkspaceState) =>
  (state.models.get(model)?.uses ?? [])
    .map((name) => `${name}:${state.models.get(name)?.state}:${state.models.get(name)?.stateSince}`)
    .join();

/** The unsaved text of a model's config. */
async function unsavedText(model: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  const repository = openedRepository();
  const { draft } = await clients.editor.readFile({ model, path, repository }, { signal });
  return draft?.text;
}

/** The graph of an ensemble. An unsaved text of its config is drawn in place of the file, as it is typed. */
export function useGraph(model: string) {
  const parts = useWorkspace(partsOf(model));
  const path = useWorkspace((state) => state.models.get(model)?.configPath || "config.pbtxt");
  const version = useWorkspace(
    (state) => draftsIn(state).find((one) => one.model === model && one.path === path)?.version,
  );
  const unsaved = version !== undefined;
  const query = useQuery({
    queryKey: [...keys.model(model), "graph", parts, path, String(version ?? "")],
    queryFn: async ({ signal }) => {
      const text = unsaved ? await unsavedText(model, path, signal) : undefined;
      return clients.models.getEnsembleGraph({ name: model, text }, { signal });
    },
    placeholderData: keepPreviousData,
    gcTime: unsaved ? 10_000 : undefined,
  });
  return { ...query, unsaved };
}
