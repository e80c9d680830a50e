/** What a person has entered for each input of a request. Pure functions. */
import type { TensorSpec } from "../api/conch_pb";
import { isFloat } from "../lib/floats";
import { areFeatures } from "../lib/fourChannels";
import {
  type Conversion,
  defaultConversion,
  guessImage,
  type ImageShape,
  leastSide,
  mostSide,
  type Size,
  sidesOf,
} from "../lib/image";
import type { NpyArray } from "../lib/npy";
import type { NumberText } from "../lib/numberText";
import type { Picture } from "../lib/picture";
import { type Element, elementCount } from "../lib/tensor";
import { elementText, toJson } from "../lib/tensor-json";
import { defaultRandom, type RandomSettings } from "../lib/tensor-random";
import type { Unfinished } from "./numbers";
import type { Reading } from "./texts";

export type Source = "draw" | "file" | "values" | "random";

/** A file that was chosen for an input, decoded once. */
export type TensorFile = { readonly name: string; readonly size: number } & (
  | { readonly kind: "picture"; readonly picture: Picture }
  | { readonly kind: "npy"; readonly array: NpyArray }
  | { readonly kind: "numbers"; readonly text: NumberText } // what a text says
  | { readonly kind: "raw"; readonly raw: Uint8Array } // values as they are sent
  | { readonly kind: "element"; readonly raw: Uint8Array; readonly media?: string } // one element of BYTES; a picture's media type
);

/** Ink on paper, 0 … 255, row by row. */
export type Drawing = { readonly width: number; readonly height: number; readonly ink: Uint8Array };

export type InputDraft = {
  readonly source: Source;
  readonly shape: readonly number[]; // every dimension settled, that of the batch too
  readonly sides?: "file" | "typed"; // who gave a picture's open sides; undefined: nobody did. Those of a file go with it
  readonly values?: string; // undefined: nobody typed, an example is shown
  readonly reading?: Reading; // undefined: how the text of BYTES looks decides
  readonly drawing?: Drawing;
  readonly files?: readonly TensorFile[];
  readonly refused?: string; // why the files that were chosen last could not be read; nothing is sent until it is known what is meant
  readonly repeat?: boolean; // what is there is sent again until the batch is full
  readonly conversion?: Conversion; // undefined: the one that the shape suggests
  readonly random?: RandomSettings;
  readonly unfinished?: Readonly<Record<string, Unfinished>>; // by the field's key, such as "random.low"
  readonly skip: boolean; // an optional input that is left out
};

export type Spec = Pick<TensorSpec, "name" | "datatype" | "shape"> & { readonly optional?: boolean };

/** An input in its request. */
export type Slot = {
  readonly spec: Spec;
  readonly place: number; // among the inputs: examples of different inputs differ
  readonly batch?: number; // rows of the request; undefined where the tensor has no dimension for them
};

type Batching = Pick<TensorSpec, "name" | "datatype" | "shape" | "dims" | "optional">;

/** The inputs of a model in a request with so many rows. A config may name one twice; a request has it once. */
export function slotsOf(inputs: readonly Batching[], maxBatchSize: number, batch: number): Slot[] {
  const once = new Map(inputs.toReversed().map((spec) => [spec.name, spec])); // the first of each name
  const own = inputs.filter((spec) => once.get(spec.name) === spec);
  return own.map((spec, place) => {
    const batched = maxBatchSize > 0 && spec.shape.length > spec.dims.length;
    return { spec, place, batch: batched ? batch : undefined };
  });
}

const openSide = 224; // for pictures of any size: the side most image models were trained with
const usual: Size = { width: openSide, height: openSide };

/**
 * Whether a tensor is meant for a picture. Larger integers of open sides are lists of numbers, such as the tokens of several texts.
 */
function forPicture({ datatype, shape }: Spec): boolean {
  const found = datatype === "BYTES" ? undefined : guessImage(shape, datatype);
  if (!found || areFeatures(found, datatype)) return false;
  const open = shape.length >= 3 && sidesOf(shape).some((side) => shape[side] === -1n);
  return !open || datatype === "UINT8" || isFloat(datatype);
}

/** A vector may hold a square picture, such as 64 values. Its shape does not say so: most vectors hold none. */
function isVector({ shape }: Spec): boolean {
  const found = guessImage(shape);
  return found !== undefined && found.width * found.height === Number(shape.at(-1));
}

/** Whether a person would draw what a tensor takes: in grey, and not in colours, which are those of a photograph. */
const isDrawn = ({ shape }: Spec): boolean => guessImage(shape)?.channels === 1;

/** A draft to begin with: a drawing or a file where the shape is that of a picture, values where it is small, else random. */
export function newDraft(slot: Slot): InputDraft {
  const { spec } = slot;
  const shape = settle(slot);
  const skip = spec.optional ?? false;
  if (forPicture(spec) && !isVector(spec)) return { source: isDrawn(spec) ? "draw" : "file", shape, skip };
  const few = elementCount(shape.slice(slot.batch === undefined ? 0 : 1)) <= 64;
  return { source: spec.datatype === "BYTES" || few ? "values" : "random", shape, skip };
}

/** The shape to send: the request's batch, 1 for what is open, a picture's usual side for the sides of a picture. */
function settle({ spec, batch }: Slot): number[] {
  const sides: readonly number[] = forPicture(spec) && spec.shape.length >= 3 ? sidesOf(spec.shape) : [];
  return spec.shape.map((dim, i) => {
    if (dim >= 0n) return Number(dim);
    if (i === 0 && batch !== undefined) return batch;
    return sides.includes(i) ? openSide : 1;
  });
}

/** Where a picture's sides are in the shape, if the model leaves both open. An input that does not begin with one takes it too, where it has a place for colours. */
export function openSides({ spec, batch }: Slot): readonly [height: number, width: number] | undefined {
  const { datatype, shape } = spec;
  const colours = datatype !== "BYTES" && (guessImage(shape, "UINT8")?.channels ?? 1) > 1;
  if (shape.length < 3 || !(colours || forPicture(spec))) return undefined;
  const [height, width] = sidesOf(shape);
  if ((batch !== undefined && height === 0) || shape[height] !== -1n || shape[width] !== -1n)
    return undefined;
  return [height, width];
}

type Fitted = Partial<Pick<InputDraft, "shape" | "sides" | "conversion">>;

/** Other sides, in the shape and in the conversion that was chosen for it. */
function withSides(slot: Slot, { shape, conversion }: InputDraft, { width, height }: Size): Fitted {
  const [down, across] = openSides(slot) ?? [];
  return {
    shape: shape.map((dim, i) => (i === down ? height : i === across ? width : dim)),
    ...(conversion && { conversion: { ...conversion, width, height } }),
  };
}

/** A size that was typed for the conversion, and for the sides that the model leaves open: there is one picture in them. */
export function withSize(slot: Slot, draft: InputDraft, size: Size): Fitted {
  return { ...withSides(slot, draft, size), ...(openSides(slot) && { sides: "typed" }) };
}

/** An open dimension that was typed. A conversion that was chosen has the sides with it; for other tensors it may not fit, and goes. */
export function withDimension(slot: Slot, draft: InputDraft, axis: number, value: number): Fitted {
  const shape = draft.shape.map((dim, i) => (i === axis ? value : dim));
  const axes = openSides(slot);
  if (!axes) return { shape, conversion: undefined };
  const [height = 0, width = 0] = axes.map((side) => shape[side]);
  return {
    ...withSides(slot, { ...draft, shape }, { width, height }),
    ...(axes.includes(axis) && { sides: "typed" }),
  };
}

/**
 * The shape for a photograph as it is, where the model takes bytes of any size. Models that take other numbers were trained with
 * one size, and get pictures in that size, as do several photographs (`now` is undefined). Sides that a person has changed stay.
 */
export function shapedAs(slot: Slot, draft: InputDraft, now: Size | undefined): Fitted {
  const axes = openSides(slot);
  const bytes = slot.spec.datatype === "UINT8";
  const next = bytes ? now : forPicture(slot.spec) ? undefined : usual;
  if (!axes || !next || draft.sides === "typed") return {};
  const [height, width] = axes.map((axis) => draft.shape[axis]);
  const begun = settle(slot);
  if (draft.sides === undefined && axes.some((axis) => draft.shape[axis] !== begun[axis])) return {};
  const { conversion = { width, height } } = draft;
  if (conversion.width !== width || conversion.height !== height) return {};
  return { ...withSides(slot, draft, next), sides: "file" };
}

/** What a shape that a file brought says of a picture's sides. */
export const givenBy = (slot: Slot): Fitted => (openSides(slot) ? { sides: "file" } : {});

/** The draft without the sides that its file gave. */
export function withoutFile(slot: Slot, draft: InputDraft): InputDraft {
  const axes = openSides(slot);
  if (draft.sides !== "file" || !axes) return draft;
  const begun = settle(slot);
  const [height = openSide, width = openSide] = axes.map((axis) => begun[axis]);
  return { ...draft, ...withSides(slot, draft, { width, height }), sides: undefined };
}

/** Whether the file is gone that gave the sides: after a removal, or since it was not kept. Values that were typed for them stay. */
const lacksFile = ({ source, sides, files = [], values }: InputDraft): boolean =>
  sides === "file" && files.length === 0 && (source === "file" || values === undefined);

/** The draft as it fits its tensor now. When the model changed its shape, the shape is settled again. */
export function fitDraft(slot: Slot, draft: InputDraft | undefined): InputDraft {
  if (!draft) return newDraft(slot);
  const shape = withBatch(slot, draft.shape);
  if (!accepts(slot.spec, shape))
    return { ...draft, shape: settle(slot), sides: undefined, conversion: undefined, unfinished: undefined };
  const fitted = shape === draft.shape ? draft : { ...draft, shape };
  return lacksFile(fitted) ? withoutFile(slot, fitted) : fitted;
}

/** The inputs that are not left out, with what is entered for them. */
export function sentOf(
  slots: readonly Slot[],
  inputs: Readonly<Record<string, InputDraft>>,
): (readonly [Slot, InputDraft])[] {
  return slots
    .map((slot) => [slot, fitDraft(slot, inputs[slot.spec.name])] as const)
    .filter(([, draft]) => !draft.skip);
}

/** The shape with the request's batch. */
export function withBatch({ batch }: Slot, shape: readonly number[]): readonly number[] {
  if (batch === undefined || shape.length === 0 || shape[0] === batch) return shape;
  return [batch, ...shape.slice(1)];
}

/** Whether a shape agrees with what the model says, -1 being anything. */
export function accepts(spec: Spec, shape: readonly number[]): boolean {
  if (spec.shape.length !== shape.length) return false;
  return spec.shape.every((dim, i) => dim < 0n || Number(dim) === shape[i]);
}

/** The shape that a plain list of values fills: they go along the only open dimension, whole in each row. */
export function filledBy({ spec, batch }: Slot, shape: readonly number[], values: number): readonly number[] {
  const open = spec.shape.flatMap((dim, axis) =>
    dim < 0n && !(axis === 0 && batch !== undefined) ? [axis] : [],
  );
  const [axis] = open;
  if (axis === undefined || open.length > 1) return shape;
  const others = elementCount(shape.map((dim, i) => (i === axis ? 1 : dim)));
  if (values === 0 || others === 0 || values % others !== 0) return shape;
  return shape.map((dim, i) => (i === axis ? values / others : dim));
}

/** The conversion in force: the chosen one, or the one that the shape of a row suggests. Three rows are no three colours. */
export function conversionOf(slot: Slot, draft: InputDraft): Conversion | undefined {
  const chosen = draft.conversion;
  if (
    chosen &&
    Math.min(chosen.width, chosen.height) > 0 &&
    Math.max(chosen.width, chosen.height) <= mostSide
  )
    return chosen;
  const picture = pictureIn(slot, draft);
  return picture && defaultConversion(picture, slot.spec.datatype);
}

/** Where the model leaves the sides of a picture in colours open, its own shape tells them from the channels. */
function pictureIn(slot: Slot, { shape }: InputDraft): ImageShape | undefined {
  const { spec, batch } = slot;
  const axes = openSides(slot);
  const named = axes && guessImage(spec.shape, "UINT8");
  if (!named || named.channels === 1)
    return guessImage(batch === undefined ? shape : [1, ...shape.slice(1)], spec.datatype);
  const [height = 0, width = 0] = axes.map((axis) => shape[axis]);
  const fits = Math.min(height, width) >= leastSide && Math.max(height, width) <= mostSide;
  return fits ? { ...named, width, height } : undefined;
}

/** The random values in force; two inputs begin with different ones. */
export function randomOf({ spec, place }: Slot, draft: InputDraft): RandomSettings {
  return draft.random ?? { ...defaultRandom(spec.datatype), seed: place + 1 };
}

/** Whether each row holds a single value, which takes one line of the form. */
export function holdsOne({ spec, batch }: Slot): boolean {
  return spec.shape.slice(batch === undefined ? 0 : 1).every((dim) => dim === 1n);
}

const mostExamples = 4096; // nobody types more; a larger tensor begins empty

/** The values in the box before anybody typed. They count up, so that every element can be told apart, and differ between inputs. */
export function exampleValues(slot: Slot, draft: InputDraft): string {
  const { datatype } = slot.spec;
  const length = elementCount(draft.shape);
  if (length > mostExamples) return "";
  const values = { length, at: (i: number) => example(datatype, slot.place, i) };
  if (length === 1) return single(datatype, values.at(0));
  return toJson(datatype, holdsOne(slot) ? [length] : draft.shape, values);
}

const starts = 4; // inputs that begin differently; small numbers suit most models

function example(datatype: string, place: number, i: number): Element {
  const start = place % starts;
  if (datatype === "BYTES") return i + start === 0 ? "text" : `text ${i + start + 1}`;
  if (datatype === "BOOL") return (i + start) % 2 === 1;
  return (i * (start + 1) + start) % 100;
}

/** One element as it is typed: text needs no quotes. */
export function single(datatype: string, value: Element): string {
  return datatype === "BYTES" ? String(value) : elementText(datatype, value);
}
