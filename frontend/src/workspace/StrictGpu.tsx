import type { ModelSummary } from "../api/conch_pb";
import { Button } from "../ui/Button";
import { toast } from "../window/toasts";
import { loadModel } from "./modelActions";
import { refuseMissingGpus, selectStrictGpu } from "./trust";
import { asSentence, useWorkspace } from "./workspace";

/** Which setting refuses a model whose GPUs are missing, where to change it, and where the model would run without it; "" of other models. */
export function useStrictText({ withoutStrict }: Pick<ModelSummary, "withoutStrict">): string {
  const strict = useWorkspace(selectStrictGpu);
  if (withoutStrict === "") return "";
  const does = strict ? "refuses it" : "refused it, and is off now";
  return `“Refuse models whose GPUs are missing” in Settings ${does}. Without it: ${asSentence(withoutStrict)}`;
}

/** The setting is that of all models: who thought of one alone is told, and can turn it on again. */
async function runHere(name: string): Promise<void> {
  const strict = selectStrictGpu(useWorkspace.getState());
  if (!(await refuseMissingGpus(false))) return;
  if (strict)
    toast({
      level: "info",
      text: "“Refuse models whose GPUs are missing” is off now, for all models",
      action: { label: "Turn it on", run: () => void refuseMissingGpus(true) },
    });
  await loadModel(name);
}

/** The way on from such a refusal. */
export function RunHereButton({ model }: { readonly model: Pick<ModelSummary, "name" | "withoutStrict"> }) {
  if (model.withoutStrict === "") return null;
  return (
    <Button
      small
      needs="engine"
      title="Turns “Refuse models whose GPUs are missing” off for all models, and loads this one"
      onClick={() => void runHere(model.name)}
    >
      Run it here
    </Button>
  );
}
