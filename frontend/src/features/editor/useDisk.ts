import { useEffect } from "react";
import { useStore } from "zustand";
import { fileKey } from "../../lib/fileKey";
import { draftsIn } from "../../workspace/drafts";
import { useModelSummary, useWorkspace } from "../../workspace/workspace";
import { isConfig } from "./program";
import type { Session } from "./session";

/** Tells the session what happens to its file and to what it is judged by. */
export function useDisk(session: Session): void {
  const { model, path } = session.file;
  const version = useWorkspace((state) => state.files.get(fileKey(model, path))?.version);
  const saving = useStore(session.store, (state) => state.saving);
  const summary = useModelSummary(model);
  const { around } = summary ?? {};
  // Of a program: what it raised.
  const raised = isConfig(path) ? 0 : (summary?.errors ?? 0) * 1000 + (summary?.warnings ?? 0);
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
  useEffect(() => session.judge(), [session, around, known, raised]);
}
