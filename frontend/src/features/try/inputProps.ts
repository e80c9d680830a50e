import type { Unfinished } from "../../requests/numbers";
import type { InputDraft, Slot } from "../../requests/tryDrafts";

/** What every way to give an input its value is given. */
export type InputProps = {
  readonly slot: Slot;
  readonly draft: InputDraft;
  /** Changes the input, and the request's batch where that follows from the change. */
  readonly onChange: (patch: Partial<InputDraft>, batch?: number) => void;
};

/** How a small field for a number shows and changes one setting of an input. `key` begins with what the setting belongs to. */
export function fieldOf(
  { draft, onChange }: Pick<InputProps, "draft" | "onChange">,
  key: string,
  apply: (value: number) => Partial<InputDraft>,
) {
  const { [key]: unfinished, ...others } = draft.unfinished ?? {};
  return {
    unfinished,
    onChange: (value: number) => onChange({ unfinished: others, ...apply(value) }),
    onUnfinished: (next: Unfinished) => onChange({ unfinished: { ...others, [key]: next } }),
  };
}
