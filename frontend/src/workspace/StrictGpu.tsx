import type { ModelSummary } from "../api/conch_pb";
import { Button } from "../ui/Button";
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

async function runHere(name: string): Promise<void> {
  if (await refuseMissingGpus(false)) await loadModel(name);
}

/** The way on from such a refusal. */
export function RunHereButton({ model }: { readonly model: Pick<ModelSummary, "name" | "withoutStrict"> }) {
  if (model.withoutStrict === "") return null;
  return (
    <Button
      small
      needs="engine"
      title="Turns “Refuse models whose GPUs are missing” off, and loads the model"
      onClick={() => void runHere(model.name)}
    >
      Run it here
    </Button>
  );
}
