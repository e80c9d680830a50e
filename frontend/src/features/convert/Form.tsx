import { useEffect, useRef } from "react";
import type { ConvertibleVersion, DescribeConversionResponse } from "../../api/conch_pb";
import { bytes } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Segmented } from "../../ui/Segmented";
import { Select } from "../../ui/Select";
import { useWorkspace } from "../../workspace/workspace";
import { builderOf, buildersOf } from "./builders";
import {
  type Choice,
  isCalibrated,
  isCompared,
  names,
  type Precision,
  type Problems,
  versionOf,
} from "./choice";
import css from "./convert.module.css";
import { Field } from "./Field";
import { Profiles } from "./Profiles";
import { Requests } from "./Requests";

const targets = [
  { value: "fp16", label: names.fp16 },
  { value: "int8", label: names.int8 },
  { value: "tensorrt", label: names.tensorrt },
] as const;

const precisions = [
  { value: "fp32", label: "FP32" },
  { value: "tf32", label: "TF32" },
  { value: "fp16", label: "FP16" },
  { value: "bf16", label: "BF16" },
] as const satisfies readonly { value: Precision; label: string }[];

interface Props {
  readonly of: DescribeConversionResponse;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

interface FormProps extends Props {
  /** Forgets what was chosen, or takes that back; undefined where there is nothing of either. */
  readonly afresh?: { readonly label: string; readonly press: () => void } | undefined;
  readonly problems: Problems;
  /** How often problems have stopped a conversion. Each time the first field that has one gets the focus. */
  readonly attempt: number;
}

/** What happens with the choice, in a sentence. */
function Meaning({ of: { savedRequests }, choice }: Props) {
  const { target } = choice;
  const how =
    target === "fp16"
      ? "Weights and arithmetic become half as wide. Inputs and outputs keep their types."
      : target === "tensorrt"
        ? "TensorRT builds a plan for this machine's GPU. It becomes a model of its own."
        : isCalibrated(choice, savedRequests)
          ? "Weights and arithmetic become 8 bits wide, with ranges taken from the requests."
          : "Weights become 8 bits wide; the ranges of other tensors are taken while the model runs.";
  return <p className={css.meaning}>{how}</p>;
}

/** Why FP16 and INT8 are not made of a version. */
function narrowedText({ narrowed, version }: ConvertibleVersion, { target }: Choice): string {
  if (narrowed === "" || target === "tensorrt") return "";
  return `Version ${version} is ${narrowed} already, and ${names[target]} is made of FP32: choose the version that it was made of.`;
}

function Version({ of, choice, onChange }: Props) {
  return (
    <Select
      label="Version"
      value={String(versionOf(choice, of)?.version ?? "")}
      onChange={({ target }) => onChange({ ...choice, version: BigInt(target.value) })}
    >
      {of.versions.toReversed().map(({ version, bytes: size, narrowed }) => (
        <option key={version} value={String(version)}>
          {String(version)} ({[narrowed, bytes(size)].filter(Boolean).join(", ")})
        </option>
      ))}
    </Select>
  );
}

/** Which GPU builds the plan, where this machine has several. */
function GpuField({ choice, onChange }: Pick<Props, "choice" | "onChange">) {
  const builders = buildersOf(useWorkspace(({ engine }) => engine));
  if (builders.length < 2) return null;
  return (
    <Select
      label="Built on"
      value={builderOf(choice, builders)}
      onChange={({ target }) => onChange({ ...choice, gpu: Number(target.value) })}
      title="A plan runs only on GPUs like the one that built it"
    >
      {builders.map(({ number, name }) => (
        <option key={number} value={number}>
          GPU {number}: {name}
        </option>
      ))}
    </Select>
  );
}

function PlanFields({ of, choice, problems, onChange }: FormProps) {
  return (
    <div className={css.plan}>
      <Segmented
        label="Precision"
        value={choice.precision}
        options={precisions}
        onChange={(precision) => onChange({ ...choice, precision })}
      />
      <GpuField choice={choice} onChange={onChange} />
      <Profiles of={of} choice={choice} problems={problems} onChange={onChange} />
      <Field
        label="Workspace in MiB"
        name="Workspace in MiB"
        placeholder="all memory"
        value={choice.workspace}
        problem={problems.workspace}
        onChange={(workspace) => onChange({ ...choice, workspace })}
      />
      <Field
        label="Name of the new model"
        name="Name of the new model"
        value={choice.becomes}
        onChange={(becomes) => onChange({ ...choice, becomes })}
      />
    </div>
  );
}

export function Form(props: FormProps) {
  const { of, choice, attempt, onChange, afresh } = props;
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [attempt]);
  const version = versionOf(choice, of);
  const narrowed = version && narrowedText(version, choice);
  const calibrates = choice.target === "int8" && isCompared(choice, of.savedRequests);
  return (
    <div ref={form} className={css.form}>
      <div className={css.line}>
        <Segmented
          label="Convert to"
          value={choice.target}
          options={targets}
          onChange={(target) => onChange({ ...choice, target })}
        />
        <Version {...props} />
        {calibrates && (
          <label className={css.check}>
            <input
              type="checkbox"
              checked={!choice.dynamic}
              onChange={({ target }) => onChange({ ...choice, dynamic: !target.checked })}
            />
            Calibrate on the requests
          </label>
        )}
        {afresh && (
          <Button small look="ghost" className={css.over} onClick={afresh.press}>
            {afresh.label}
          </Button>
        )}
      </div>
      {choice.target === "tensorrt" && of.tensorrt !== "" && <PlanFields {...props} />}
      {choice.target === "fp16" && (
        <Field
          label="Operators that stay in FP32"
          name="Operators that stay in FP32"
          placeholder="none, or types of operators, such as Exp, Softmax"
          value={choice.keep}
          onChange={(keep) => onChange({ ...choice, keep })}
        />
      )}
      <Meaning {...props} />
      {narrowed && <p className={css.warn}>{narrowed}</p>}
      <Requests {...props} />
    </div>
  );
}
