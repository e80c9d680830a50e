import type { TensorSpec } from "../../api/conch_pb";
import type { InputDraft } from "../../requests/tryDrafts";

/** What every way to give an input its value is given. */
export type InputProps = {
  readonly spec: TensorSpec;
  readonly draft: InputDraft;
  readonly onChange: (patch: Partial<InputDraft>) => void;
};
