/** What notices say in the engine's words is said in better ones as soon as Conch has them: it judges a file after the engine. */
import { useLayoutEffect } from "react";
import { reword, useToasts } from "../window/toasts";
import { findingFor, useFindings } from "../workspace/findings";
import { useWorkspace } from "../workspace/workspace";

export function useBetterNotices(): void {
  const past = useToasts((state) => state.past);
  const waiting = past.filter(
    ({ reason, detail, model }) => reason !== undefined && detail === reason && model !== undefined,
  );
  const files = useFindings(waiting.length > 0);
  const models = useWorkspace((state) => state.models);
  useLayoutEffect(() => {
    for (const { id, model = "", reason = "" } of waiting) {
      const words = models.get(model)?.lacks || findingFor(files, model, reason)?.message;
      if (words && words !== reason) reword(id, words);
    }
  });
}
