import { create } from "@bufbuild/protobuf";
import {
  type ConvertedTensor,
  type PlanProfile,
  PlanProfileSchema,
  type ShapeRange,
  ShapeRangeSchema,
} from "../../api/conch_pb";
import { newDraft } from "../../requests/tryDrafts";

/** A profile of a plan: three shapes for each input whose sizes vary, as typed: "1x64, 8x64, 32x64". */
export interface Profile {
  readonly id: number;
  readonly ranges: Readonly<Record<string, string>>;
}

/** The inputs that TensorRT has to be told shapes of. */
export const varying = (inputs: readonly ConvertedTensor[]): ConvertedTensor[] =>
  inputs.filter(({ shape }) => shape.some((size) => size < 0n));

/** A first guess: batches of one to the largest that the config has. The sides of a picture are those that Try and random values have. */
function usualRange(input: ConvertedTensor, maxBatchSize: number): string {
  const most = Math.max(maxBatchSize, 1);
  const sent = newDraft({ spec: input, place: 0, batch: maxBatchSize > 0 ? 1 : undefined }).shape;
  const text = (size: number) =>
    input.shape.map((dim, i) => (dim < 0n && sent[i] === 1 ? size : sent[i])).join("x");
  return [1, Math.min(most, 8), most].map(text).join(", ");
}

/** What the field of an input has, also before somebody types there. */
export const rangeText = ({ ranges }: Profile, input: ConvertedTensor, maxBatchSize: number): string =>
  ranges[input.name] ?? usualRange(input, maxBatchSize);

/** Reads three shapes. Throws an Error that is shown at the field. */
export function readRange(input: ConvertedTensor, text: string): ShapeRange {
  const shapes = text.split(",").map((shape) => shape.trim().split(/\s*x\s*/));
  const right = shapes.length === 3 && shapes.every((shape) => shape.every((size) => /^\d+$/.test(size)));
  if (!right) throw new Error(`Write three shapes, such as ${usualRange(input, 32)}`);
  const odd = shapes.find(({ length }) => length !== input.shape.length);
  if (odd)
    throw new Error(`${odd.join("x")} has ${odd.length} sizes, and ${input.name} has ${input.shape.length}`);
  const [least = [], best = [], largest = []] = shapes.map((shape) => shape.map(BigInt));
  const rises = best.every((size, at) => (least[at] ?? 0n) <= size && size <= (largest[at] ?? 0n));
  if (!rises) throw new Error("Each size must be least ≤ best ≤ largest");
  return create(ShapeRangeSchema, { input: input.name, least, best, largest });
}

/** The profiles of a request; none where no size varies. */
export const readProfiles = (
  profiles: readonly Profile[],
  inputs: readonly ConvertedTensor[],
  maxBatchSize: number,
): PlanProfile[] => {
  const vary = varying(inputs);
  if (vary.length === 0) return [];
  return profiles.map((profile) =>
    create(PlanProfileSchema, {
      ranges: vary.map((input) => readRange(input, rangeText(profile, input, maxBatchSize))),
    }),
  );
};
