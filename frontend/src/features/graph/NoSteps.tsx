/** An ensemble that has no steps: how a first one looks, and the button that writes it. */
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { goToModel } from "../../window/place";
import { repair } from "../../workspace/repair";
import css from "./graph.module.css";
import { useProblems } from "./useProblems";

/** A first step, in the words of the config. */
const firstStep = `ensemble_scheduling {
  step [ {
    model_name: "A_MODEL"
    model_version: -1
    input_map { key: "IN" value: "INPUT" }
    output_map { key: "OUT" value: "OUTPUT" }
  } ]
}`;

/** The rules about an ensemble without steps, whose fix writes a first one. */
const noStep: readonly string[] = ["E0'", "E5"];

/** Writes the first step, and shows it; undefined where the config does not say that it lacks one. */
function useWriting(model: string): (() => Promise<void>) | undefined {
  const files = useProblems(model, true);
  for (const file of files) {
    if (file.model !== model) continue;
    const found = file.diagnostics.find(({ code }) => noStep.includes(code));
    const fix = found?.fixes[0];
    if (!found || !fix) continue;
    return async () => {
      if (await repair(file, found, fix)) goToModel(model, "config");
    };
  }
  return undefined;
}

export function NoSteps({ model }: { readonly model: string }) {
  const write = useWriting(model);
  return (
    <div className={css.centre}>
      <Empty
        title="No steps yet"
        action={
          <>
            {write && (
              <Button look="primary" needs="app" onClick={() => void write()}>
                Write a first step
              </Button>
            )}
            <Button onClick={() => goToModel(model, "config")}>Open the config</Button>
          </>
        }
      >
        An ensemble is drawn from the steps in its config, one for each model. In its maps, keys are the
        model's tensors; values are the ensemble's own, or what goes between two steps:
        <pre className={css.firstStep}>{firstStep}</pre>
      </Empty>
    </div>
  );
}
