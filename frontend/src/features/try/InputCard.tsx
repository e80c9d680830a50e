/** One input of the request: its name, type and shape, and the ways to give it a value. */
import { useMemo } from "react";
import type { TensorSpec } from "../../api/conch_pb";
import { middle } from "../../lib/format";
import { guessImage } from "../../lib/image";
import { elementCount } from "../../lib/tensor";
import { patchInput, tryOf, useTries } from "../../requests/tries";
import { buildInput, fitDraft, type InputDraft, type Source } from "../../requests/tryDrafts";
import { Segmented } from "../../ui/Segmented";
import { DrawInput } from "./DrawInput";
import { FileInput } from "./FileInput";
import type { InputProps } from "./inputProps";
import { RandomInput } from "./RandomInput";
import { ShapeEditor } from "./ShapeEditor";
import css from "./try.module.css";
import { ValuesInput } from "./ValuesInput";

const bodies: Record<Source, (props: InputProps) => React.ReactNode> = {
  draw: DrawInput,
  file: FileInput,
  values: ValuesInput,
  random: RandomInput,
};

function sources(spec: TensorSpec) {
  const draws = spec.datatype !== "BYTES" && guessImage(spec.shape) !== undefined;
  const all: { value: Source; label: string }[] = [
    { value: "file", label: "File" },
    { value: "values", label: "Values" },
    { value: "random", label: "Random" },
  ];
  return draws ? [{ value: "draw" as Source, label: "Draw" }, ...all] : all;
}

type Props = { readonly model: string; readonly spec: TensorSpec; readonly batches: number };

export function InputCard({ model, spec, batches }: Props) {
  const stored = useTries((state) => tryOf(model)(state).inputs[spec.name]);
  const draft = useMemo(() => fitDraft(spec, stored), [spec, stored]);
  const problem = useMemo(() => problemOf(spec, draft), [spec, draft]);
  const onChange = (patch: Partial<InputDraft>) => patchInput(model, spec.name, draft, patch);
  const Body = bodies[draft.source];
  return (
    <section className={css.input} aria-label={`Input ${spec.name}`}>
      <header className={css.head}>
        <strong title={spec.name}>{middle(spec.name, 26)}</strong>
        <span className={css.spacer} />
        <Segmented
          label={`How to give ${spec.name}`}
          value={draft.source}
          options={sources(spec)}
          onChange={(source) => onChange({ source })}
        />
      </header>
      <div className={css.shapeLine}>
        <ShapeEditor spec={spec} draft={draft} batches={batches > 0} onChange={onChange} />
        <span className={css.hint}>{effectivePhrase(batches)}</span>
      </div>
      {spec.optional && <OptionalSwitch name={spec.name} draft={draft} onChange={onChange} />}
      {!draft.skip && <Body spec={spec} draft={draft} onChange={onChange} />}
      {!draft.skip && problem && <p className={css.problem}>{problem}</p>}
    </section>
  );
}

/** What the numbers in the shape are, beside it. */
function effectivePhrase(batches: number): string {
  return batches > 0 ? `batch + dims, batch up to ${batches}` : "dims; the model does not batch";
}

const checkedElements = 200_000; // more than this is judged when it is sent

/** What is wrong with what was typed or chosen, as soon as it is. */
function problemOf(spec: TensorSpec, draft: InputDraft): string {
  if (draft.skip || draft.source === "random" || elementCount(draft.shape) > checkedElements) return "";
  if (draft.source === "file" && !draft.file) return "";
  try {
    buildInput(spec, draft);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

type SwitchProps = {
  readonly name: string;
  readonly draft: InputDraft;
  readonly onChange: InputProps["onChange"];
};

function OptionalSwitch({ name, draft, onChange }: SwitchProps) {
  return (
    <label className={css.check}>
      <input
        type="checkbox"
        checked={!draft.skip}
        onChange={(event) => onChange({ skip: !event.target.checked })}
      />
      Send {name}; the model can do without
    </label>
  );
}
