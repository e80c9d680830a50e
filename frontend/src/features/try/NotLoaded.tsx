/** Says why a request would be refused now, and offers to load the model. */
import { type GetModelResponse, ModelState, type ModelSummary } from "../../api/conch_pb";
import { middle } from "../../lib/format";
import { Button } from "../../ui/Button";
import { goToModel } from "../../window/place";
import { loadModel, useModelActions } from "../../workspace/modelActions";
import { useModelSummary, useWorkspace } from "../../workspace/workspace";
import css from "./try.module.css";

const words: Partial<Record<ModelState, string>> = {
  [ModelState.WAITING]: "waits to be loaded again, so requests would be refused now.",
  [ModelState.UNLOADED]: "is not loaded, so requests would be refused.",
  [ModelState.FAILED]: "did not load, so requests would be refused.",
  [ModelState.NOT_RUNNABLE]: "cannot run in this engine; requests would be refused.",
};

/** A model of an ensemble that keeps it from loading. Those that are only unloaded are loaded with it. */
function brokenPart(models: ReadonlyMap<string, ModelSummary>, model: ModelSummary | undefined) {
  const bad = [ModelState.FAILED, ModelState.NOT_RUNNABLE];
  return model?.uses.find((part) => bad.includes(models.get(part)?.state ?? ModelState.UNSPECIFIED));
}

export function NotLoaded({ details }: { readonly details: GetModelResponse }) {
  const name = details.summary?.name ?? "";
  const live = useModelSummary(name);
  const pending = useModelActions((state) => state.pending[name]);
  const state = (live ?? details.summary)?.state ?? ModelState.UNSPECIFIED;
  const sentence = words[state];
  const broken = useWorkspace(({ models }) =>
    state === ModelState.FAILED ? brokenPart(models, live) : undefined,
  );
  if (!sentence) return null;
  if (broken !== undefined)
    return (
      <div className={css.notLoaded} role="status">
        <span title={name}>
          {middle(name, 40)} cannot serve: its model {middle(broken, 40)} did not load.
        </span>
        <Button small onClick={() => goToModel(broken)}>
          Show {middle(broken, 24)}
        </Button>
      </div>
    );
  return (
    <div className={css.notLoaded} role="status">
      <span title={name}>
        {middle(name, 40)} {sentence}
      </span>
      {state !== ModelState.NOT_RUNNABLE && (
        <Button small needs="engine" disabled={pending !== undefined} onClick={() => void loadModel(name)}>
          Load it
        </Button>
      )}
    </div>
  );
}
