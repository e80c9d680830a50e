/** An ensemble that has no steps: how a first one looks, and the button that begins it. */

import { Button } from "../../ui/Button";
import { Centre } from "../../ui/Centre";
import { Empty } from "../../ui/Empty";
import { goToModel } from "../../window/place";
import { repair } from "../../workspace/repair";
import { useTelling } from "../../workspace/told";
import { useModelSummary } from "../../workspace/workspace";
import css from "./graph.module.css";
import { useProblems } from "./useProblems";

/** A first step, in the words of the config. */
const firstStep = `ensemble_scheduling {
  step [ {
    model_name: "MODEL"
    model_version: -1
    input_map { key: "IN" value: "INPUT" }
    output_map { key: "OUT" value: "OUTPUT" }
  } ]
}`;

/** The rules about an ensemble without steps, whose fix begins a first one. */
const noStep: readonly string[] = ["E0'", "E5"];

/** Begins the first step in the unsaved config, and shows where to go on; undefined where the config does not say that it lacks one. */
function useBeginning(model: string): (() => void) | undefined {
  const files = useProblems(model, true);
  for (const file of files) {
    if (file.model !== model) continue;
    const found = file.diagnostics.find(({ code }) => noStep.includes(code));
    const fix = found?.fixes[0];
    if (!found || !fix) continue;
    return () => void repair(file, found, fix);
  }
  return undefined;
}

export function NoSteps({ model }: { readonly model: string }) {
  const write = useBeginning(model);
  useTelling("list", [useModelSummary(model)?.lacks ?? ""]); // this page says it at length
  return (
    <Centre>
      <Empty
        title="No steps yet"
        action={
          <>
            {write && (
              <Button look="primary" needs="app" onClick={write}>
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
    </Centre>
  );
}
