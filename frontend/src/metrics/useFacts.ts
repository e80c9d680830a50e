/** The figures in the heads of cards: of the whole range, and of this moment as the status bar shows it. */
import type { View } from "../lib/range";
import { useWorkspace } from "../workspace/workspace";
import type { Facts } from "./chart/cardSpec";
import { useSummaries } from "./useSummaries";

/** Of a model, or of the repository (""). CPU and memory are the engine's; what a model holds of it is told beside them. */
export function useFacts(model: string, view: View): Facts {
  const summaries = useSummaries([model], view);
  const engine = useWorkspace((state) => state.engine);
  const own = useWorkspace((state) => state.models.get(model));
  return {
    model,
    summary: summaries.get(model),
    perSecond: (model === "" ? engine?.requestsPerSecond : own?.requestsPerSecond) ?? 0,
    cpuPercent: engine?.cpuPercent ?? 0,
    memoryBytes: Number(engine?.memoryBytes ?? 0),
    gpus: engine && engine.gpuTrouble === "" ? engine.gpus : [], // of a driver that hangs only its last answer is known
    gpusLost: engine?.gpusLost ?? [],
    ...(model !== "" && { own: own?.memory ?? [] }),
  };
}
