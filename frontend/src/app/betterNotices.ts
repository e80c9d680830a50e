/** What notices say in the engine's words is said in better ones as soon as Conch has them: it judges a file after the engine. */
import { useLayoutEffect } from "react";
import { reword, useToasts } from "../window/toasts";
import { findingFor, useFindings } from "../workspace/findings";
import { useWorkspace } from "../workspace/workspace";

export function useBetterNotices(): void {
  const past = useToasts((state) => state.past);
  const waiting = past.filter(({ reason, detail }) => reason && detail?.includes(reason));
  const files = useFindings(waiting.length > 0);
  const models = useWorkspace((state) => state.models);
  useLayoutEffect(() => {
    for (const { id, model = "", reasonOf = model, reason = "", detail = "" } of waiting) {
      const words = models.get(reasonOf)?.lacks || findingFor(files, reasonOf, reason)?.message;
      if (words && !words.includes(reason))
        reword(
          id,
          detail.replace(reason, () => words),
        );
    }
  });
}
