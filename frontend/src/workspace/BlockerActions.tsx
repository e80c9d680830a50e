import type { ModelSummary } from "../api/conch_pb";
import { Button } from "../ui/Button";
import { Named } from "../ui/Named";
import { goToModel, revealInConfig, revealOf } from "../window/place";
import type { Blocker } from "./blocker";
import { makeFileFor } from "./repair";

interface BlockerActionsProps {
  model: ModelSummary;
  blocker: Blocker;
  look?: "plain" | "primary";
}

/** The ways out of what keeps a model from being loaded: the file is written or added, or the problem shown. */
export function BlockerActions({ model, blocker, look = "primary" }: BlockerActionsProps) {
  const { writes, problem } = blocker;
  const lacksFile = model.lacks !== "" && (!model.ensemble || model.uses.length > 0);
  if (writes || lacksFile)
    return (
      <>
        {writes && (
          <Button
            small
            look={look}
            needs="app"
            title={writes.title}
            onClick={() => void makeFileFor(model.name, writes)}
          >
            <Named text={`Write ${writes.file.path}`} names={[writes.file.path]} />
          </Button>
        )}
        {lacksFile && (
          <Button small look={writes ? "plain" : look} onClick={() => goToModel(model.name, "files")}>
            Add it in Files
          </Button>
        )}
      </>
    );
  if (!problem) return null;
  const { file, found } = problem;
  return (
    <Button
      small
      look={look}
      onClick={() => revealInConfig(model.name, revealOf({ ...found, path: file.path }))}
    >
      Show the problem
    </Button>
  );
}
