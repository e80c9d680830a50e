import { useEffect } from "react";
import { useStore } from "zustand";
import { fileKey } from "../../lib/fileKey";
import { draftsIn } from "../../workspace/drafts";
import { useFindings } from "../../workspace/findings";
import { useModelSummary, useWorkspace } from "../../workspace/workspace";
import { isConfig } from "./program";
import type { Session } from "./session";

/** What is known to be wrong in a program. Its number alone would not tell one failure from the next. */
function useFoundIn({ file: { model, path } }: Session, some: boolean): string {
  const asks = some && !isConfig(path);
  const files = useFindings(asks);
  if (!asks) return "";
  return files
    .filter((file) => file.model === model && file.path === path)
    .flatMap(({ diagnostics }) => diagnostics.map(({ line, message }) => `${line} ${message}`))
    .join("\n");
}

/** Tells the session what happens to its file and to what it is judged by. */
export function useDisk(session: Session): void {
  const { model, path } = session.file;
  const version = useWorkspace((state) => state.files.get(fileKey(model, path))?.version);
  const saving = useStore(session.store, (state) => state.saving);
  const summary = useModelSummary(model);
  const { around } = summary ?? {};
  const found = useFoundIn(session, (summary?.errors ?? 0) + (summary?.warnings ?? 0) > 0);
  const known = useWorkspace((state) => state.models.size);
  const live = useWorkspace((state) => state.connection === "live");
  const away = useWorkspace((state) => state.repository?.away ?? false);
  const run = useWorkspace((state) => state.drafts?.run ?? "");
  const draft = useWorkspace(
    (state) => draftsIn(state).find((one) => one.model === model && one.path === path)?.version ?? 0n,
  );
  useEffect(() => session.onDraft(draft, run), [session, draft, run]);
  useEffect(() => {
    if (live) session.refresh();
  }, [session, live]);
  useEffect(() => {
    if (!away) session.onFolderBack();
  }, [session, away]);
  useEffect(() => {
    if (version !== undefined && !saving) session.onDisk(version);
  }, [session, version, saving]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another model, or a new one, may change the verdict
  useEffect(() => session.judge(), [session, around, known, found]);
}
