/** Says why a request would be refused now, and offers to load the model. */
import { useState } from "react";
import { clients } from "../../api/client";
import { type GetModelResponse, ModelState } from "../../api/conch_pb";
import { useModelSummary } from "../../stores/workspace";
import { Button } from "../../ui/Button";
import { ErrorBox } from "../../ui/ErrorBox";
import css from "./try.module.css";

const words: Partial<Record<ModelState, string>> = {
  [ModelState.UNLOADED]: "is not loaded, so requests would be refused.",
  [ModelState.FAILED]: "did not load, so requests would be refused.",
  [ModelState.NOT_RUNNABLE]: "cannot run in this engine; requests would be refused.",
};

export function NotLoaded({ details }: { details: GetModelResponse }) {
  const name = details.summary?.name ?? "";
  const live = useModelSummary(name);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const state = (live ?? details.summary)?.state ?? ModelState.UNSPECIFIED;
  const sentence = words[state];
  if (!sentence) return null;
  const load = async () => {
    setBusy(true);
    setProblem(undefined);
    await clients.models.load({ name, force: false }).catch(setProblem);
    setBusy(false);
  };
  return (
    <>
      <div className={css.notLoaded} role="status">
        <span>
          {name} {sentence}
        </span>
        {state !== ModelState.NOT_RUNNABLE && (
          <Button small disabled={busy} onClick={() => void load()}>
            Load it
          </Button>
        )}
      </div>
      {problem !== undefined && <ErrorBox title={`${name} did not load`} error={problem} />}
    </>
  );
}
