/** Why a model is in its state, where the text that would repair it is not saved. */
import { create } from "@bufbuild/protobuf";
import { useQuery } from "@tanstack/react-query";
import { clients } from "../api/client";
import { FileProblemsSchema, ModelState, type ModelSummary } from "../api/conch_pb";
import { draftsIn } from "./drafts";
import { findingFor, useBetterReason } from "./findings";
import { openedRepository, useWorkspace } from "./workspace";

const failed = [ModelState.FAILED, ModelState.OLDER_SERVES];

/** The problems of the file on disk, of which the engine tells; all lists have those of the unsaved text. */
async function savedProblems(model: string, path: string, signal: AbortSignal) {
  const { text } = await clients.editor.readFile({ model, path, repository: openedRepository() }, { signal });
  const { diagnostics } = await clients.editor.analyze({ model, path, text }, { signal });
  return create(FileProblemsSchema, { model, path, diagnostics });
}

/** The reason in better words than Triton's, where Conch has them, and whether its config is edited and not saved. */
export function useSavedReason(model: ModelSummary): { useful?: string | undefined; unsaved: boolean } {
  const { name, state, reason, configPath } = model;
  const better = useBetterReason(model);
  const path = configPath || "config.pbtxt";
  const edited = useWorkspace((all) =>
    draftsIn(all).some((draft) => draft.model === name && draft.path === path),
  );
  const unsaved = edited && failed.includes(state);
  const asks = unsaved && better === undefined && reason !== "";
  const { data } = useQuery({
    // Not asked again with each key: what was loaded stays as it is until the next load.
    queryKey: ["saved problems", openedRepository(), name, path, reason, String(model.stateSince)],
    queryFn: ({ signal }) => savedProblems(name, path, signal),
    enabled: asks,
    gcTime: 10_000,
  });
  const saved = asks && data ? findingFor([data], name, reason)?.message : undefined;
  return { useful: better ?? saved, unsaved };
}
