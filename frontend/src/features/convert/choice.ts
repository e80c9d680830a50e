import { create } from "@bufbuild/protobuf";
import {
  type ConvertedTensor,
  type ConvertibleVersion,
  type ConvertRequest,
  ConvertRequestSchema,
  type DescribeConversionResponse,
} from "../../api/conch_pb";
import { newDraft } from "../../requests/tryDrafts";
import { type Profile, rangeText, readProfiles, readRange, varying } from "./ranges";

export type Target = "fp16" | "int8" | "tensorrt";
export const names: Readonly<Record<Target, string>> = { fp16: "FP16", int8: "INT8", tensorrt: "TensorRT" };
export type Precision = "fp32" | "tf32" | "fp16" | "bf16";

/** What a model becomes, as it is chosen in the dialog. */
export interface Choice {
  target: Target;
  /** 0 is the usual one of the target. */
  version: bigint;
  /** Types of operators that stay in FP32, as typed. */
  keep: string;
  /** INT8 without calibration. */
  dynamic: boolean;
  /** With the saved requests. */
  saved: boolean;
  /** With the request that is in Try now. */
  typed: boolean;
  /** With so many requests of random values. */
  random: number;
  /** With the requests of json. */
  written: boolean;
  json: string;
  precision: Precision;
  /** MiB as typed; "" for all. */
  workspace: string;
  /** The number of the GPU that builds a plan; undefined for the first. */
  gpu: number | undefined;
  /** The name of a plan's model. */
  becomes: string;
  /** At least one. Their numbers are their places. */
  profiles: readonly Profile[];
}

export const firstChoice = (model: string): Choice => ({
  target: "fp16",
  version: 0n,
  keep: "",
  dynamic: false,
  saved: true,
  typed: false,
  random: 0,
  written: false,
  json: "",
  precision: "fp16",
  workspace: "",
  gpu: undefined,
  becomes: `${model}_trt`,
  profiles: [{ id: 0, ranges: {} }],
});

export const usualRandom = 8;

/** The version that is converted: the chosen one, or the one that the program takes by itself. */
export function versionOf(
  { version, target }: Choice,
  of: DescribeConversionResponse,
): ConvertibleVersion | undefined {
  const usual = target === "tensorrt" ? of.usualOfPlan : of.usual;
  return of.versions.find((one) => one.version === (version || usual)) ?? of.versions.at(-1);
}

/** The choice as far as the model still has what was chosen: its version may be gone since. */
export function fitChoice(choice: Choice, { versions }: DescribeConversionResponse): Choice {
  const there = versions.some(({ version }) => version === choice.version);
  return there || choice.version === 0n ? choice : { ...choice, version: 0n };
}

/** Whether there is a request that both models answer. */
export const isCompared = ({ saved, typed, random, written, json }: Choice, savedRequests: number): boolean =>
  (saved && savedRequests > 0) || typed || random > 0 || (written && json.trim() !== "");

/** Whether INT8 takes its ranges from the requests. */
export const isCalibrated = (choice: Choice, savedRequests: number): boolean =>
  choice.target === "int8" && !choice.dynamic && isCompared(choice, savedRequests);

/** What a request to the model looks like, without its values. Sizes that vary are those that Try begins with. */
export function exampleOf({ inputs, maxBatchSize }: DescribeConversionResponse): string {
  const batch = maxBatchSize > 0 ? 1 : undefined;
  const list = inputs.map((spec, place) => {
    const shape = newDraft({ spec, place, batch }).shape.join(", ");
    return `{"name": ${JSON.stringify(spec.name)}, "datatype": "${spec.datatype}", "shape": [${shape}], "data": […]}`;
  });
  return `{"inputs": [${list.join(",\n            ")}]}`;
}

/** What random values mean for the result. `conch convert` says the same (convert.go). */
export function aboutRandom(choice: Choice, savedRequests: number): string {
  const alone = !isCompared({ ...choice, random: 0 }, savedRequests);
  const calibrated = isCalibrated(choice, savedRequests);
  const means = alone
    ? `${calibrated ? "INT8 may take wrong ranges from them, and " : ""}the differences say little of real requests`
    : `${calibrated ? "INT8 takes its ranges from them too, and " : ""}the largest differences may be theirs`;
  return `Random values are not your data: ${means}.`;
}

/** What is wrong with a field, by the field's name. */
export type Problems = Readonly<Record<string, string>>;

/** The name of the field of an input in a profile. */
export const rangeField = ({ id }: Profile, { name }: ConvertedTensor): string => `range ${id} ${name}`;

/** What cannot be read of a choice. */
export function problemsOf(
  { target, workspace, profiles }: Choice,
  inputs: readonly ConvertedTensor[],
  maxBatchSize: number,
): Problems {
  const found: Record<string, string> = {};
  if (target !== "tensorrt") return found;
  if (!/^\d{0,9}$/.test(workspace.trim())) found.workspace = "Write a number of MiB, or nothing for all";
  for (const profile of profiles)
    for (const input of varying(inputs))
      try {
        readRange(input, rangeText(profile, input, maxBatchSize));
      } catch (problem) {
        found[rangeField(profile, input)] = (problem as Error).message;
      }
  return found;
}

/** The request of a choice that has no problems. */
export function requestOf(
  model: string,
  choice: Choice,
  inputs: readonly ConvertedTensor[],
  maxBatchSize: number,
): ConvertRequest {
  const { target, version, dynamic, saved, written, precision, workspace, gpu, becomes, profiles } = choice;
  const keep = target === "fp16" ? choice.keep.split(/[\s,]+/).filter(Boolean) : [];
  const json = written ? choice.json.trim() : "";
  const request = { model, version, target, dynamic, withoutSaved: !saved, json, keep };
  if (target !== "tensorrt") return create(ConvertRequestSchema, request);
  return create(ConvertRequestSchema, {
    ...request,
    becomes: becomes.trim(),
    plan: {
      precision,
      gpu,
      workspace: BigInt(workspace.trim() || "0") << 20n,
      profiles: readProfiles(profiles, inputs, maxBatchSize),
    },
  });
}
