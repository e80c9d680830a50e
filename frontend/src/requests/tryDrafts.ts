/** What a person has entered for each input of a request, and the tensor it becomes. Pure functions. */
import { create } from "@bufbuild/protobuf";
import { type InferInput, InferInputSchema, type TensorSpec } from "../api/conch_pb";
import { typeAndShape } from "../lib/format";
import { type Conversion, convert, defaultConversion, guessImage, type Pixels } from "../lib/image";
import type { NpyArray } from "../lib/npy";
import { decode, type Element, elementCount, elementSize, encode } from "../lib/tensor";
import { complaint, parseValues, toJson } from "../lib/tensor-json";
import { defaultRandom, type RandomSettings, randomTensor } from "../lib/tensor-random";

export type Source = "draw" | "file" | "values" | "random";

/** A file that was chosen for an input, decoded once. */
export type TensorFile = { readonly name: string; readonly size: number } & (
  | { readonly kind: "picture"; readonly pixels: Pixels }
  | { readonly kind: "npy"; readonly array: NpyArray }
  | { readonly kind: "raw"; readonly raw: Uint8Array<ArrayBuffer> }
);

/** Ink on paper, 0 … 255, row by row. */
export type Drawing = { readonly width: number; readonly height: number; readonly ink: Uint8Array };

export type InputDraft = {
  readonly source: Source;
  readonly shape: readonly number[]; // every dimension settled
  readonly values?: string; // undefined: nobody typed, an example is shown
  readonly drawing?: Drawing;
  readonly file?: TensorFile;
  readonly conversion?: Conversion; // undefined: the one that the shape suggests
  readonly random?: RandomSettings;
  readonly skip: boolean; // an optional input that is left out
};

type Spec = Pick<TensorSpec, "name" | "datatype" | "shape"> & { readonly optional?: boolean };

const openSide = 224; // for pictures of any size: the side most image models were trained with

/** A draft to begin with: drawing where the tensor can hold a picture, values where it is small, else random. */
export function newDraft(spec: Spec): InputDraft {
  const shape = settle(spec);
  const skip = spec.optional ?? false;
  if (guessImage(spec.shape) && spec.datatype !== "BYTES") return { source: "draw", shape, skip };
  return {
    source: spec.datatype === "BYTES" || elementCount(shape) <= 64 ? "values" : "random",
    shape,
    skip,
  };
}

/** The shape to send: 1 for the batch and for what is open, a picture's usual side for the sides of a picture. */
function settle(spec: Spec): number[] {
  const picture = guessImage(spec.shape);
  const sides = picture && spec.shape.length >= 3 ? openSide : 1;
  return spec.shape.map((dim, i) => (dim >= 0n ? Number(dim) : i === 0 ? 1 : sides));
}

/** The draft as it fits a tensor now: when the model changed its shape, the shape is settled again. */
export function fitDraft(spec: Spec, draft: InputDraft | undefined): InputDraft {
  if (!draft) return newDraft(spec);
  if (accepts(spec, draft.shape)) return draft;
  return { ...draft, shape: settle(spec), conversion: undefined };
}

/** Whether a shape agrees with what the model says, -1 being anything. */
export function accepts(spec: Spec, shape: readonly number[]): boolean {
  if (spec.shape.length !== shape.length) return false;
  return spec.shape.every((dim, i) => dim < 0n || Number(dim) === shape[i]);
}

/** The conversion in force: the chosen one, or the one that the shape suggests. */
export function conversionOf(spec: Spec, draft: InputDraft): Conversion | undefined {
  if (draft.conversion) return draft.conversion;
  const picture = guessImage(draft.shape);
  return picture && defaultConversion(picture, spec.datatype);
}

/** The values in the box before anybody typed: counting up, so that every element can be told apart. */
export function exampleValues(spec: Spec, shape: readonly number[]): string {
  const count = Math.min(elementCount(shape), 4096);
  const each = (i: number): Element =>
    spec.datatype === "BYTES" ? "text" : spec.datatype === "BOOL" ? i % 2 === 1 : i % 100;
  const values = { length: count, at: each };
  return toJson(spec.datatype, shape, values);
}

/** A draft that holds a request's input again: typed values where they are few, otherwise its bytes as a file. */
export function draftFromInput(input: InferInput): InputDraft {
  const shape = input.shape.map(Number);
  const base = { shape, skip: false };
  if (input.data.case === "json") return { ...base, source: "values", values: input.data.value };
  if (input.data.case === undefined) return { ...base, source: "file" }; // too large to be kept
  const raw = new Uint8Array(input.data.value);
  const drawing = drawingOf(input.datatype, shape, raw);
  if (drawing) return { ...base, source: "draw", drawing };
  const values = decode(input.datatype, raw);
  if (values.length <= 1024)
    return { ...base, source: "values", values: toJson(input.datatype, shape, values) };
  return {
    ...base,
    source: "file",
    file: { kind: "raw", name: "bytes of the earlier request", size: raw.length, raw },
  };
}

/** One grey picture of bytes, of a size to draw on, is a drawing again: such drawings are sent pixel by pixel. */
function drawingOf(datatype: string, shape: readonly number[], raw: Uint8Array): Drawing | undefined {
  const picture = datatype === "UINT8" ? guessImage(shape) : undefined;
  if (picture?.channels !== 1) return undefined;
  const { width, height } = picture;
  const drawable = Math.min(width, height) >= 28 && Math.max(width, height) <= 112;
  return drawable && raw.length === width * height ? { width, height, ink: raw } : undefined;
}

/** The tensor that a draft stands for. Throws an Error whose message says what does not fit. */
export function buildInput(spec: Spec, draft: InputDraft): InferInput {
  const { shape, raw } = tensorOf(spec, draft);
  return create(InferInputSchema, {
    name: spec.name,
    datatype: spec.datatype,
    shape: shape.map(BigInt),
    data: { case: "raw", value: raw },
  });
}

type Tensor = { readonly shape: readonly number[]; readonly raw: Uint8Array };

/** Larger tensors are refused here: the window would need several times their size to hold them. */
const largest = 512 * 1024 * 1024;

function tensorOf(spec: Spec, draft: InputDraft): Tensor {
  if (elementCount(draft.shape) * Math.max(1, elementSize(spec.datatype)) > largest) {
    throw new Error(
      `${typeAndShape(spec.datatype, draft.shape)} is more than 512 MB: choose smaller dimensions`,
    );
  }
  switch (draft.source) {
    case "values":
      return typed(spec, draft);
    case "random":
      return {
        shape: draft.shape,
        raw: randomTensor(
          spec.datatype,
          elementCount(draft.shape),
          draft.random ?? defaultRandom(spec.datatype),
        ),
      };
    case "draw":
      return picture(spec, draft, draft.drawing ? inkPixels(draft.drawing) : undefined);
    case "file":
      return fromFile(spec, draft);
  }
}

function typed(spec: Spec, draft: InputDraft): Tensor {
  const { shape, values } = parseValues(draft.values ?? exampleValues(spec, draft.shape));
  const wrong = complaint(spec.datatype, values);
  if (wrong) throw new Error(wrong);
  const raw = encode(spec.datatype, values);
  if (accepts(spec, shape)) return { shape, raw };
  if (values.length === elementCount(draft.shape)) return { shape: draft.shape, raw };
  throw new Error(
    `${typeAndShape(spec.datatype, draft.shape)} takes ${elementCount(draft.shape)} values; ${values.length} are here`,
  );
}

function picture(spec: Spec, draft: InputDraft, pixels: Pixels | undefined): Tensor {
  const conversion = conversionOf(spec, draft);
  if (!conversion)
    throw new Error(
      `${typeAndShape(spec.datatype, draft.shape)} is not the shape of a picture: say how in the conversion`,
    );
  const { width, height, channels } = conversion;
  const one = width * height * channels;
  const times = elementCount(draft.shape) / one;
  if (!Number.isInteger(times) || times < 1) {
    throw new Error(
      `${width} × ${height} × ${channels} are ${one} values; ${typeAndShape(spec.datatype, draft.shape)} takes ${elementCount(draft.shape)}`,
    );
  }
  const blank = { width: 1, height: 1, data: new Uint8Array([0, 0, 0, 255]) };
  return { shape: draft.shape, raw: repeat(convert(pixels ?? blank, conversion, spec.datatype), times) };
}

/** The same picture for every element of the batch. */
function repeat(raw: Uint8Array, times: number): Uint8Array {
  if (times === 1) return raw;
  const all = new Uint8Array(raw.length * times);
  for (let i = 0; i < times; i++) all.set(raw, i * raw.length);
  return all;
}

/** Ink is light and paper dark, as in the pictures that digit models are trained with; `invert` turns it round. */
function inkPixels({ width, height, ink }: Drawing): Pixels {
  const data = new Uint8ClampedArray(ink.length * 4);
  for (const [i, value] of ink.entries()) data.set([value, value, value, 255], i * 4);
  return { width, height, data };
}

function fromFile(spec: Spec, draft: InputDraft): Tensor {
  const { file } = draft;
  if (!file) throw new Error("No file chosen yet");
  if (file.kind === "picture") return picture(spec, draft, file.pixels);
  if (file.kind === "npy") return fromNpy(spec, draft, file.array);
  const size = elementSize(spec.datatype);
  const want = elementCount(draft.shape) * size;
  if (size > 0 && file.raw.length !== want) {
    throw new Error(
      `${file.name} has ${file.raw.length} bytes; ${typeAndShape(spec.datatype, draft.shape)} takes ${want}`,
    );
  }
  return { shape: draft.shape, raw: file.raw };
}

function fromNpy(spec: Spec, draft: InputDraft, array: NpyArray): Tensor {
  const raw = array.datatype === spec.datatype ? array.raw : cast(array, spec.datatype);
  if (accepts(spec, array.shape)) return { shape: array.shape, raw };
  if (elementCount(array.shape) === elementCount(draft.shape)) return { shape: draft.shape, raw };
  throw new Error(
    `The file holds ${typeAndShape(array.datatype, array.shape)}; the model takes ${typeAndShape(spec.datatype, spec.shape)}`,
  );
}

function cast(array: NpyArray, datatype: string): Uint8Array {
  const values = decode(array.datatype, array.raw);
  const elements = Array.from({ length: values.length }, (_, i) => values.at(i));
  const wrong = complaint(datatype, elements);
  if (wrong) throw new Error(`The file holds ${array.datatype}: ${wrong}`);
  return encode(datatype, elements);
}
