import { create } from "@bufbuild/protobuf";
import {
  type ConvertedTensor,
  type ConvertRequest,
  ConvertRequestSchema,
  type ShapeRange,
  ShapeRangeSchema,
} from "../../api/conch_pb";

export type Target = "fp16" | "int8" | "tensorrt";
export const names: Readonly<Record<Target, string>> = { fp16: "FP16", int8: "INT8", tensorrt: "TensorRT" };
export type Precision = "fp32" | "tf32" | "fp16" | "bf16";

/** What a model becomes, as it is chosen in the dialog. */
export interface Choice {
  target: Target;
  /** 0 is the newest. */
  version: bigint;
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
  /** The number of the GPU that builds a plan. */
  gpu: number;
  /** The name of a plan's model. */
  becomes: string;
  /** Three shapes for each input whose sizes vary: "1x64, 8x64, 32x64". */
  ranges: Readonly<Record<string, string>>;
}

export const firstChoice = (model: string): Choice => ({
  target: "fp16",
  version: 0n,
  dynamic: false,
  saved: true,
  typed: false,
  random: 0,
  written: false,
  json: "",
  precision: "fp16",
  workspace: "",
  gpu: 0,
  becomes: `${model}_trt`,
  ranges: {},
});

export const usualRandom = 8;

/** Whether there is a request that both models answer. */
export const isCompared = ({ saved, typed, random, written, json }: Choice, savedRequests: number): boolean =>
  (saved && savedRequests > 0) || typed || random > 0 || (written && json.trim() !== "");

/** The inputs that TensorRT has to be told shapes of. */
export const varying = (inputs: readonly ConvertedTensor[]): ConvertedTensor[] =>
  inputs.filter(({ shape }) => shape.some((size) => size < 0n));

const shapeText = (shape: readonly bigint[], size: bigint) =>
  shape.map((dim) => (dim < 0n ? size : dim)).join("x");

/** A first guess: batches of one to the largest that the config has. */
export function usualRange({ shape }: ConvertedTensor, maxBatchSize: number): string {
  const most = BigInt(Math.max(maxBatchSize, 1));
  const best = most > 8n ? 8n : most;
  return [1n, best, most].map((size) => shapeText(shape, size)).join(", ");
}

/** Reads three shapes. Throws an Error that can be shown beside the field. */
export function readRange(input: string, text: string): ShapeRange {
  const shapes = text.split(",").map((shape) => shape.trim().split(/\s*x\s*/));
  const right = shapes.length === 3 && shapes.every((shape) => shape.every((size) => /^\d+$/.test(size)));
  if (!right) throw new Error(`${input}: write three shapes, such as 1x64, 8x64, 32x64`);
  const [least = [], best = [], largest = []] = shapes.map((shape) => shape.map(BigInt));
  return create(ShapeRangeSchema, { input, least, best, largest });
}

/** The request of a choice. Throws an Error where something typed cannot be read. */
export function requestOf(
  model: string,
  choice: Choice,
  inputs: readonly ConvertedTensor[],
  maxBatchSize: number,
): ConvertRequest {
  const { target, version, dynamic, saved, written, precision, workspace, gpu, becomes, ranges } = choice;
  const json = written ? choice.json.trim() : "";
  const request = { model, version, target, dynamic, withoutSaved: !saved, json };
  if (target !== "tensorrt") return create(ConvertRequestSchema, request);
  if (!/^\d*$/.test(workspace.trim()))
    throw new Error("Workspace: write a number of MiB, or nothing for all");
  return create(ConvertRequestSchema, {
    ...request,
    becomes: becomes.trim(),
    plan: {
      precision,
      gpu,
      workspace: BigInt(workspace.trim() || "0") << 20n,
      ranges: varying(inputs).map((input) =>
        readRange(input.name, ranges[input.name] ?? usualRange(input, maxBatchSize)),
      ),
    },
  });
}
