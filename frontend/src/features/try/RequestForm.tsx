/** The request as a form: the batch, and a card or a line for each input. */
import { useMemo } from "react";
import type { GetModelResponse } from "../../api/conch_pb";
import { planOf } from "../../requests/building";
import { RowsError } from "../../requests/rows";
import { patchInput, tryOf, useTries } from "../../requests/tries";
import { fitDraft, type InputDraft, type Slot, slotsOf } from "../../requests/tryDrafts";
import { Empty } from "../../ui/Empty";
import { BatchLine } from "./BatchLine";
import { InputCard } from "./InputCard";
import css from "./inputs.module.css";
import { ParametersLine, SequenceLine } from "./SequenceLine";

type Props = { readonly model: string; readonly details: GetModelResponse };

export function RequestForm({ model, details }: Props) {
  const { inputs, maxBatchSize } = details;
  const batch = useTries((state) => tryOf(model)(state).batch);
  const drafts = useTries((state) => tryOf(model)(state).inputs);
  const slots = useMemo(() => slotsOf(inputs, maxBatchSize, batch), [inputs, maxBatchSize, batch]);
  const short = useMemo(() => (batch > 1 ? shortOnes(slots, drafts) : []), [slots, drafts, batch]);
  if (inputs.length === 0) {
    return (
      <Empty title="No inputs are known">
        The config lists none, and the model is not loaded. Load it, or add an input block to config.pbtxt; a
        form for each input appears here.
      </Empty>
    );
  }
  const repeatAll = () => {
    for (const { slot, draft } of short) patchInput(model, slot.spec.name, draft, { repeat: true });
  };
  return (
    <div className={css.form}>
      {slots.some((slot) => slot.batch !== undefined) && (
        <BatchLine model={model} most={maxBatchSize} short={short.length} onRepeat={repeatAll} />
      )}
      {details.needsSequence && <SequenceLine model={model} text={details.textSequence} />}
      <ParametersLine model={model} sequence={details.needsSequence} />
      {slots.map((slot) => (
        <InputCard key={slot.spec.name} model={model} slot={slot} />
      ))}
    </div>
  );
}

/** Inputs that hold fewer rows than the batch. */
function shortOnes(slots: readonly Slot[], drafts: Readonly<Record<string, InputDraft>>) {
  return slots
    .map((slot) => ({ slot, draft: fitDraft(slot, drafts[slot.spec.name]) }))
    .filter(({ slot, draft }) => !draft.skip && holdsFewer(slot, draft));
}

const mostRead = 20_000; // characters; rows of longer texts are counted beside their input alone

function holdsFewer(slot: Slot, draft: InputDraft): boolean {
  if ((draft.values?.length ?? 0) > mostRead) return false;
  try {
    planOf(slot, draft);
    return false;
  } catch (error) {
    return error instanceof RowsError && error.given > 0 && error.given < error.wanted;
  }
}
