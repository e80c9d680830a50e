/** Typed values as the bytes of a tensor, and a typed request as its tensors. Pure: long texts are read in a worker. */
import { count, grouped } from "../lib/format";
import { type Element, encode, isDatatype } from "../lib/tensor";
import { complaint, flatValues, parseLenient } from "../lib/tensor-json";
import { fillRows, pieces, RowsError } from "./rows";
import { type Reading, readingOf, readTyped } from "./texts";

/** A typed text, and the place that it has in its request. */
export type Typed = {
  readonly datatype: string;
  readonly text: string;
  readonly reading: Reading | undefined;
  readonly row: number; // elements of a row
  readonly batch: number | undefined; // rows; undefined where the tensor has no dimension for them
  readonly repeat: boolean;
  readonly takes: string; // what takes the values, as the subject of a sentence
};

/** What a typed text gives. */
export type Read = { readonly raw: Uint8Array; readonly repeated: number | undefined };

/** Throws an Error, or a RowsError where the batch is not full. */
export function readValues({ datatype, text, reading, row, batch, repeat, takes }: Typed): Read {
  const { values } = readTyped(datatype, text, reading);
  const whole = row === 0 ? values.length === 0 : values.length > 0 && values.length % row === 0;
  if (!whole || (batch === undefined && values.length !== row)) {
    const here = values.length === 1 ? "1 was given" : `${grouped(values.length)} were given`;
    throw new Error(`${takes} takes ${count(row, wordOf(datatype))}; ${here}${formOf(datatype, row, batch)}`);
  }
  const rows = row === 0 ? [values] : pieces<Element>(values, row);
  const wanted = row === 0 ? 1 : (batch ?? 1);
  const all = fillRows(rows, { wanted, repeat, noun: row === 1 ? wordOf(datatype) : "row" });
  return {
    raw: encode(datatype, all === rows ? values : all.flat()),
    repeated: all === rows ? undefined : rows.length,
  };
}

/** How several strings are written: of plain text every line is one. */
function formOf(datatype: string, row: number, batch: number | undefined): string {
  if (datatype !== "BYTES" || row < 2) return "";
  const rowFrom = (first: number) => {
    const some = Array.from({ length: Math.min(row, 2) }, (_, i) => `"${"abcd"[first + i]}"`);
    return `[${[...some, ...(row > 2 ? ["…"] : [])].join(",")}]`;
  };
  const form = batch === undefined ? rowFrom(0) : `[${rowFrom(0)},${rowFrom(2)},…]`;
  return `. Write them as ${form}`;
}

const wordOf = (datatype: string) => (datatype === "BYTES" ? "string" : "value");

export type TypedTensor = {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly raw: Uint8Array;
};

export type TypedRequest = {
  readonly id: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly inputs: readonly TypedTensor[];
  readonly outputs: readonly string[];
};

/** Reads a request in the JSON of the KServe protocol. Only that values fit their own type is checked here: the engine judges names and shapes. */
export function readRequest(text: string): TypedRequest {
  const tree = parseLenient(text);
  if (!isRecord(tree) || !Array.isArray(tree.inputs))
    throw new Error('The request needs a list of tensors under "inputs"');
  const outputs = Array.isArray(tree.outputs) ? tree.outputs.map(outputName) : [];
  const { id = "", parameters = {} } = tree;
  if (typeof id !== "string") throw new Error('"id" must be a text');
  if (!isRecord(parameters)) throw new Error('"parameters" must be an object, such as {"sequence_id": 1}');
  return { id, parameters, inputs: tree.inputs.map(readInput), outputs };
}

function readInput(node: unknown, index: number): TypedTensor {
  if (!isRecord(node) || typeof node.name !== "string") throw new Error(`Input ${index + 1} has no "name"`);
  const { name, datatype, shape } = node;
  const where = `Input "${name}"`;
  if (typeof datatype !== "string" || !isDatatype(datatype))
    throw new Error(`${where}: "datatype" must be a tensor type, such as "FP32"`);
  if (!Array.isArray(shape) || !shape.every(Number.isInteger))
    throw new Error(`${where}: "shape" must be a list of whole numbers`);
  if (node.data === undefined) throw new Error(`${where} has no "data"`);
  try {
    const { values } = flatValues(node.data);
    const wrong = complaint(datatype, values);
    if (wrong) throw new Error(wrong);
    return { name, datatype, shape, raw: encode(datatype, values) };
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`);
  }
}

function outputName(node: unknown): string {
  if (typeof node === "string") return node;
  if (isRecord(node) && typeof node.name === "string") return node.name;
  throw new Error('"outputs" must be a list of names, or of objects with a "name"');
}

function isRecord(node: unknown): node is Record<string, unknown> {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}

/** What a worker is asked. */
export type Question =
  | { readonly kind: "values"; readonly typed: Typed }
  | { readonly kind: "reading"; readonly text: string }
  | { readonly kind: "request"; readonly text: string };

/** What it answers. A RowsError loses its class on the way, so that its parts travel. */
export type Answer = {
  readonly read?: Read;
  readonly short?: readonly [given: number, wanted: number, noun: string];
  readonly reading?: Reading;
  readonly request?: TypedRequest;
};

export function answer(question: Question): Answer {
  switch (question.kind) {
    case "reading":
      return { reading: readingOf(question.text, undefined) };
    case "request":
      return { request: readRequest(question.text) };
    case "values":
      try {
        return { read: readValues(question.typed) };
      } catch (error) {
        if (!(error instanceof RowsError)) throw error;
        return { short: [error.given, error.wanted, error.noun] };
      }
  }
}
