import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import { keys } from "../../api/queries";
import { draftsIn } from "../../workspace/drafts";
import { openedRepository, useWorkspace, type WorkspaceState } from "../../workspace/workspace";

/** Changes whenever the model or one of its steps does, or calls another model for the first time. */
const partsOf = (model: string) => (state: WorkspaceState) =>
  [model, ...(state.models.get(model)?.uses ?? [])]
    .map((name) => state.models.get(name))
    .map((part) => `${part?.name}:${part?.state}:${part?.stateSince}:${part?.calls.join()}`)
    .join();

/** How often the calls are asked for while they are looked at. */
const CALLS_EVERY_MS = 2000;

/** The unsaved text of a model's config. */
async function unsavedText(model: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  const repository = openedRepository();
  const { draft } = await clients.editor.readFile({ model, path, repository }, { signal });
  return draft?.text;
}

/** The graph of an ensemble, or of a model that calls others. An unsaved text of its config is drawn in place of the file, as it is typed. */
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
      return clients.models.getGraph({ name: model, text }, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.edges.some(({ calls }) => calls) ? CALLS_EVERY_MS : false),
    gcTime: unsaved ? 10_000 : undefined,
  });
  return { ...query, unsaved };
}
