import { TriangleAlert } from "lucide-react";
import { ModelState, type ModelSummary } from "../../api/conch_pb";
import { Chip } from "../../ui/Chip";
import { Tooltip } from "../../ui/Tooltip";
import { revealInConfig, revealOf } from "../../window/place";
import { useFinding } from "../../workspace/findings";
import { ProblemText } from "../../workspace/ProblemText";
import { readyVersions } from "../../workspace/VersionMenu";
import { asSentence } from "../../workspace/workspace";
import css from "./ModelHeader.module.css";
import { Reason } from "./Reason";

/** The newest version did not load while an older one goes on. */
function olderServes(model: ModelSummary): string {
  const failed = model.versions.findLast((version) => version.state === ModelState.FAILED);
  const older = readyVersions(model.versions).at(-1);
  if (failed && older) return `Version ${failed.number} did not load; ${older.number} keeps serving`;
  return "Load failed; the one before serves";
}

/** What failed, and why where the page does not say it. It leads to the problem where that is known. */
export function OlderServesChip({
  model,
  useful,
  told,
}: {
  model: ModelSummary;
  useful?: string;
  told: boolean;
}) {
  const problem = useFinding(model.name, model.reason);
  const chip = { tone: "err", icon: <TriangleAlert aria-hidden="true" /> } as const;
  const reason = useful ?? model.reason;
  const words = (
    <ProblemText
      text={told || reason === "" ? olderServes(model) : `${olderServes(model)}: ${asSentence(reason)}`}
    />
  );
  const why = <Reason model={model} useful={useful} />;
  if (!problem)
    return (
      <Tooltip content={why}>
        <Chip {...chip} className={css.reason} tabIndex={0}>
          {words}
        </Chip>
      </Tooltip>
    );
  return (
    <Tooltip
      content={
        <>
          {why}
          <p>Press to open {problem.path}</p>
        </>
      }
    >
      <button
        type="button"
        className={css.leads}
        onClick={() => revealInConfig(problem.model, revealOf(problem))}
      >
        <Chip {...chip}>{words}</Chip>
      </button>
    </Tooltip>
  );
}
