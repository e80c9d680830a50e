/** Says why a request would be refused now, and offers to load the model. */
import { type GetModelResponse, ModelState } from "../../api/conch_pb";
import { middle } from "../../lib/format";
import { Button } from "../../ui/Button";
import { loadModel, useModelActions } from "../../workspace/modelActions";
import { useModelSummary } from "../../workspace/workspace";
import css from "./try.module.css";

const words: Partial<Record<ModelState, string>> = {
  [ModelState.WAITING]: "waits to be loaded again, so requests would be refused now.",
  [ModelState.UNLOADED]: "is not loaded, so requests would be refused.",
  [ModelState.FAILED]: "did not load, so requests would be refused.",
  [ModelState.NOT_RUNNABLE]: "cannot run in this engine; requests would be refused.",
};

export function NotLoaded({ details }: { readonly details: GetModelResponse }) {
  const name = details.summary?.name ?? "";
  const live = useModelSummary(name);
  const pending = useModelActions((state) => state.pending[name]);
  const state = (live ?? details.summary)?.state ?? ModelState.UNSPECIFIED;
  const sentence = words[state];
  if (!sentence) return null;
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
