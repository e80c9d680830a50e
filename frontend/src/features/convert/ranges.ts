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

/** Of inputs of any length, such as the tokens of a text: least, best and largest length, where nobody says them. */
const lengths = [1, 128, 512] as const;
/** The largest batch where the config has none. */
const mostItems = 8;

/** Whether a size of an input is the batch: also the first of several where the config has no batch. */
const isBatch = ({ shape }: ConvertedTensor, i: number, maxBatchSize: number): boolean =>
  i === 0 && (maxBatchSize > 0 || shape.length > 1);

/** A first guess: batches of one to the largest that the config has. The sides of a picture are those that Try and random values have. */
function usualRange(input: ConvertedTensor, maxBatchSize: number): string {
  const most = maxBatchSize > 0 ? maxBatchSize : mostItems;
  const sent = newDraft({ spec: input, place: 0, batch: maxBatchSize > 0 ? 1 : undefined }).shape;
  const sizes = (place: 0 | 1 | 2) =>
    input.shape.map((dim, i) => {
      if (dim >= 0n || sent[i] !== 1) return sent[i];
      return isBatch(input, i, maxBatchSize) ? [1, Math.min(most, 8), most][place] : lengths[place];
    });
  return ([0, 1, 2] as const).map((place) => sizes(place).join("x")).join(", ");
}

/** Whether the shapes in the field of an input are a guess: no one has typed them, and more than the config's batch varies. */
export const isGuess = ({ ranges }: Profile, input: ConvertedTensor, maxBatchSize: number): boolean =>
  ranges[input.name] === undefined &&
  input.shape.some((dim, i) => dim < 0n && !(i === 0 && maxBatchSize > 0));

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
