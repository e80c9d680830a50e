import { useMemo } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { useWorkspace } from "../../workspace/workspace";
import { sessionOf } from "./sessions";

const nothing = createStore(() => ({ status: "ready" }));

/** Whether the text of the file that the editor shows is there, or was not read for a reason that is shown. Without a path no text is waited for. */
export function useIsRead(model: string, path: string | undefined): boolean {
  const repository = useWorkspace(({ repository }) => repository?.id ?? "");
  const store = useMemo(
    () => (path === undefined ? nothing : sessionOf({ model, path }, repository).store),
    [model, path, repository],
  );
  return useStore(store, ({ status }) => status !== "reading");
}
