/** What an earlier request had for an input, in the form again. */
import type { InferInput } from "../api/conch_pb";
import { boardSize } from "../lib/board";
import { guessImage } from "../lib/image";
import { decode, type Values } from "../lib/tensor";
import { toJson } from "../lib/tensor-json";
import { pictureNames, picturesAgain } from "./pictures";
import { looksLikeJson } from "./texts";
import { type Drawing, type InputDraft, single, type TensorFile } from "./tryDrafts";

const mostTyped = 1024; // elements; more of an earlier request become a file

/** A draft that holds a request's input again: its pictures where they are kept, typed values where they are few, otherwise its bytes as a file. */
export function draftFromInput(input: InferInput): InputDraft {
  const shape = input.shape.map(Number);
  const base = { shape, skip: false, ...(input.sidesOfFile && { sides: "file" as const }) };
  if (input.data.case === "json") return { ...base, source: "values", values: input.data.value };
  const pictures = picturesAgain(input);
  if (pictures) return { ...base, ...pictures };
  const names = pictureNames(input);
  if (input.data.case === undefined)
    return { ...base, source: "file", ...(names && { refused: gone(names) }) }; // too large to be kept
  const raw = new Uint8Array(input.data.value);
  const drawing = drawingOf(input.datatype, shape, raw);
  if (drawing) return { ...base, source: "draw", drawing };
  const values = decode(input.datatype, raw);
  if (input.datatype === "BYTES" && values.length <= mostTyped)
    return { ...base, ...bytesAgain(shape, values) };
  if (values.length === 1) return { ...base, source: "values", values: single(input.datatype, values.at(0)) };
  if (values.length <= mostTyped)
    return { ...base, source: "values", values: toJson(input.datatype, shape, values) };
  return {
    ...base,
    source: "file",
    files: [{ kind: "raw", name: bytesName(names), size: raw.length, raw }],
  };
}

const gone = (names: string) => `The history does not have ${names} any more: choose it again`;

const bytesName = (names: string) =>
  names ? `bytes made of ${names}, which the history does not have` : "bytes of the earlier request";

/** Strings become text again; where one of them is no text, each element becomes a file. */
function bytesAgain(
  shape: readonly number[],
  values: Values,
): Pick<InputDraft, "source"> & Partial<InputDraft> {
  const elements = Array.from({ length: values.length }, (_, i) => values.at(i));
  if (elements.every((element) => typeof element === "string")) {
    const [text] = elements;
    if (elements.length !== 1 || text === undefined)
      return { source: "values", values: toJson("BYTES", shape, values) };
    return { source: "values", values: text, reading: looksLikeJson(text) ? "text" : undefined };
  }
  const files = elements.map((element, i): TensorFile => {
    const raw = typeof element === "object" ? element : new TextEncoder().encode(String(element));
    return { kind: "element", name: `element ${i + 1} of the earlier request`, size: raw.length, raw };
  });
  return { source: "file", files };
}

/** One grey picture of bytes, of a size to draw on, is a drawing again: such drawings are sent pixel by pixel. */
function drawingOf(datatype: string, shape: readonly number[], raw: Uint8Array): Drawing | undefined {
  const picture = datatype === "UINT8" ? guessImage(shape) : undefined;
  if (picture?.channels !== 1) return undefined;
  const { width, height } = picture;
  const board = boardSize(picture);
  const drawable = board.width === width && board.height === height;
  return drawable && raw.length === width * height ? { width, height, ink: raw } : undefined;
}
