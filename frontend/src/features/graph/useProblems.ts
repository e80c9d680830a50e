import { create } from "@bufbuild/protobuf";
import { useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import { type FileProblems, FileProblemsSchema } from "../../api/conch_pb";
import { keys } from "../../api/queries";
import { draftsIn } from "../../workspace/drafts";
import { useFindings } from "../../workspace/findings";
import { openedRepository, useWorkspace } from "../../workspace/workspace";

/** What is wrong with the text that the graph is drawn from: the unsaved one, where there is one. */
export function useProblems(model: string, enabled: boolean): readonly FileProblems[] {
  const path = useWorkspace((state) => state.models.get(model)?.configPath || "config.pbtxt");
  const version = useWorkspace(
    (state) => draftsIn(state).find((one) => one.model === model && one.path === path)?.version,
  );
  const unsaved = version !== undefined;
  const saved = useFindings(enabled && !unsaved);
  const { data } = useQuery({
    queryKey: [...keys.model(model), "graph problems", path, String(version ?? "")],
    queryFn: async ({ signal }) => {
      const { draft } = await clients.editor.readFile(
        { model, path, repository: openedRepository() },
        { signal },
      );
      const { diagnostics } = await clients.editor.analyze(
        { model, path, text: draft?.text ?? "" },
        { signal },
      );
      return [create(FileProblemsSchema, { model, path, diagnostics })];
    },
    enabled: enabled && unsaved,
    gcTime: 10_000,
  });
  return unsaved ? (data ?? []) : saved;
}
