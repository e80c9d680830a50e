/** Files as the rows of a tensor: pictures are converted, arrays cast, bytes taken as they are. */
import { bytes, count, typeAndShape } from "../lib/format";
import type { NpyArray } from "../lib/npy";
import type { NumberText } from "../lib/numberText";
import { decode, elementCount, elementSize, encode } from "../lib/tensor";
import { complaint } from "../lib/tensor-json";
import { type Given, NothingYet, type Part, picturePart, picturesGiven, rowOf, rowPhrase } from "./parts";
import { pieces } from "./rows";
import { givenBy, type InputDraft, type Slot, shapedAs, type TensorFile, withoutFile } from "./tryDrafts";

/** What the files of a draft give. */
export function fileParts(slot: Slot, draft: InputDraft): Given {
  const files = draft.files ?? [];
  if (files.length === 0) throw new NothingYet("No file is chosen yet");
  const row = rowOf(slot, draft);
  if (files.every(({ kind }) => kind === "element"))
    return { parts: files.map(elementPart), perRow: row, noun: "file" };
  if (files.every(({ kind }) => kind === "picture"))
    return picturesGiven(
      slot,
      draft,
      "picture",
      files.map((file) => picturePart(slot, draft, pictureIn(file))),
    );
  return { parts: files.flatMap((file) => rowParts(slot, draft, file)), perRow: 1, noun: "row" };
}

function pictureIn(file: TensorFile) {
  if (file.kind !== "picture") throw new Error(`${file.name} is not a picture`);
  return file.picture;
}

/** Any file is one element of BYTES: four bytes of length, and the file. */
function elementPart(file: TensorFile): Part {
  if (file.kind !== "element") throw new Error(`${file.name} cannot be an element of BYTES`);
  return () => encode("BYTES", [file.raw]);
}

function rowParts(slot: Slot, draft: InputDraft, file: TensorFile): Part[] {
  if (file.kind === "picture") return [picturePart(slot, draft, file.picture)];
  if (file.kind === "npy") return npyParts(slot, draft, file.array, file.name);
  if (file.kind === "numbers") return numberParts(slot, draft, file.text, file.name);
  const size = elementSize(slot.spec.datatype);
  if (size === 0) return stringParts(file.raw, rowOf(slot, draft));
  const row = rowOf(slot, draft) * size;
  if (row === 0 || file.raw.length === 0 || file.raw.length % row !== 0)
    throw new Error(
      `${file.name} has ${exactly(file.raw.length)}; ${rowPhrase(slot, draft)} takes ${exactly(row)}`,
    );
  return split(file.raw, row);
}

/** BYTES of an earlier request, lengths and all. */
function stringParts(raw: Uint8Array, row: number): Part[] {
  const values = decode("BYTES", raw);
  const elements = Array.from({ length: values.length }, (_, i) => values.at(i));
  return pieces(elements, row).map((piece) => () => encode("BYTES", piece));
}

/** Small sizes to the byte, larger ones also as people say them. */
const exactly = (n: number) =>
  n < 10_000 ? count(n, "byte") : `${n.toLocaleString("en")} bytes (${bytes(n)})`;

function split(raw: Uint8Array, size: number): Part[] {
  return Array.from({ length: raw.length / size }, (_, i) => () => raw.subarray(i * size, (i + 1) * size));
}

function npyParts(slot: Slot, draft: InputDraft, array: NpyArray, name: string): Part[] {
  const { spec } = slot;
  const row = rowOf(slot, draft);
  const has = elementCount(array.shape);
  if (row === 0 || has === 0 || has % row !== 0) {
    const takes = typeAndShape(spec.datatype, spec.shape);
    throw new Error(`${name} holds ${typeAndShape(array.datatype, array.shape)}; the model takes ${takes}`);
  }
  const raw = array.datatype === spec.datatype ? array.raw : cast(array, spec.datatype, name);
  return split(raw, row * elementSize(spec.datatype));
}

/** Values that a text says. They fill whole rows, however the text breaks its lines. */
function numberParts(slot: Slot, draft: InputDraft, { shape, values }: NumberText, name: string): Part[] {
  const { datatype } = slot.spec;
  const row = rowOf(slot, draft);
  if (row === 0 || values.length % row !== 0) {
    const has =
      shape.length > 1
        ? `${count(values.length, "number")}, [${shape.join(", ")}]`
        : count(values.length, "number");
    throw new Error(`${name} holds ${has}; ${rowPhrase(slot, draft)} takes ${row.toLocaleString("en")}`);
  }
  const wrong = complaint(datatype, values);
  if (wrong) throw new Error(`${name}: ${wrong}`);
  return pieces(values, row).map((piece) => () => encode(datatype, piece));
}

const casts = new WeakMap<NpyArray, { datatype: string; raw: Uint8Array }>();

function cast(array: NpyArray, datatype: string, name: string): Uint8Array {
  const known = casts.get(array);
  if (known?.datatype === datatype) return known.raw;
  const values = decode(array.datatype, array.raw);
  const elements = Array.from({ length: values.length }, (_, i) => values.at(i));
  const wrong = complaint(datatype, elements);
  if (wrong) throw new Error(`${name} holds ${array.datatype}. ${wrong}`);
  const raw = encode(datatype, elements);
  casts.set(array, { datatype, raw });
  return raw;
}

type Fitted = { readonly batch?: number } & Partial<Pick<InputDraft, "shape" | "sides" | "conversion">>;

/** What the form takes over from files that were just chosen. Sides that the file before gave go with it. */
export function fittedTo(slot: Slot, draft: InputDraft, next: readonly TensorFile[]): Fitted {
  const kept = draft.files?.[0] === next[0] ? draft : withoutFile(slot, draft);
  const { shape, sides, conversion } = kept;
  return { shape, sides, conversion, ...givenTo(slot, { ...kept, files: next }) };
}

/** The sides of a picture, the shape of an array, the batch, or the one open dimension that files fill. */
function givenTo(slot: Slot, draft: InputDraft): Fitted {
  const { files = [] } = draft;
  const [first] = files;
  if (first?.kind === "picture")
    return {
      ...shapedAs(slot, draft, files.length === 1 ? first.picture.read : undefined),
      ...ofSeveral(slot, draft),
    };
  if (first?.kind === "npy" && files.length === 1) return fittedToArray(slot, first.array.shape);
  if (first?.kind === "numbers" && files.length === 1) return fittedToNumbers(slot, draft, first.text);
  return ofSeveral(slot, draft);
}

/** The batch, or the one open dimension, that several files fill. */
function ofSeveral(slot: Slot, draft: InputDraft): Fitted {
  const { files = [], shape } = draft;
  const [first] = files;
  if (files.length < 2) return {};
  const open = slot.spec.shape.flatMap((dim, axis) => (dim < 0n ? [axis] : []));
  if (slot.batch !== undefined) {
    const per = first?.kind === "element" ? rowOf(slot, draft) : 1;
    return files.length % per === 0 ? { batch: files.length / per } : {};
  }
  if (first?.kind !== "element" || open.length !== 1) return {};
  return { shape: shape.map((dim, axis) => (axis === open[0] ? files.length : dim)) };
}

function fittedToNumbers(slot: Slot, draft: InputDraft, { shape, values }: NumberText): Fitted {
  const { spec, batch } = slot;
  const whole = fittedToArray(slot, shape);
  if ("shape" in whole) return whole;
  const one = batch === undefined ? shape : [1, ...shape];
  const open = spec.shape.some((dim, i) => dim < 0n && !(batch !== undefined && i === 0));
  if (open) return fittedToArray(slot, one);
  const row = rowOf(slot, draft);
  if (batch === undefined || row === 0 || values.length % row !== 0) return {};
  return { batch: values.length / row };
}

function fittedToArray(slot: Slot, shape: readonly number[]): Fitted {
  const { spec, batch } = slot;
  const fits =
    spec.shape.length === shape.length && spec.shape.every((dim, i) => dim < 0n || Number(dim) === shape[i]);
  if (!fits) return {};
  return { shape, batch: batch === undefined ? undefined : shape[0], ...givenBy(slot) };
}
