import type { ModelSummary } from "../../api/conch_pb";
import { ProblemText } from "../../workspace/ProblemText";
import { useStrictText } from "../../workspace/StrictGpu";
import css from "./ModelHeader.module.css";

/** Why it is in this state, in the words of the problem list where that has it; Triton's own words are small print. */
export function Reason({ model, useful }: { model: ModelSummary; useful?: string }) {
  const { reason } = model;
  const strict = useStrictText(model);
  const both = useful && useful !== reason;
  return (
    <>
      <ProblemText text={both ? useful : reason} />
      {both && <small className={css.triton}>{reason}</small>}
      {strict !== "" && <p>{strict}</p>}
    </>
  );
}
