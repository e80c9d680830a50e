/**
 * Tensor values as people type them: JSON arrays, nested or flat, with NaN and the infinities that JSON leaves out, also as
 * Python and NumPy print them: nan, inf, True.
 * Bytes that are no text are written {"b64": "…"}, as TensorFlow Serving has it.
 */
import { fromBase64, toBase64 } from "./base64";
import { isFloat, largestOf, overflows, shortest } from "./floats";
import { count, hasType } from "./format";
import { bracketed, whyNoList } from "./listText";
import { type Element, integerRange, isDatatype, type Values } from "./tensor";
import { quoted } from "./visible";

export type ParsedValues = { readonly shape: number[]; readonly values: Element[] };

const words: Record<string, number | boolean> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  "-infinity": Number.NEGATIVE_INFINITY,
  true: true,
  false: false,
};
const mark = "\u0000";

/** Reads typed text. Throws an Error whose message says what is wrong with it and where, and what the type takes. */
export function parseValues(text: string, datatype?: string): ParsedValues {
  if (text.trim() === "") throw new Error("No values yet: type a list, such as [1, 2, 3]");
  const list = bracketed(text);
  try {
    return flatValues(parseLenient(list));
  } catch (error) {
    throw new Error(whyNoList(list, datatype && typedAs(datatype)) || (error as Error).message);
  }
}

/** The elements of nested lists in row-major order, and their shape. Throws where rows differ. */
export function flatValues(tree: unknown): ParsedValues {
  const values: Element[] = [];
  return { shape: flatten(tree, values, 0), values };
}

const special =
  /"(?:[^"\\]|\\.)*"|-?\b(?:Infinity|inf|Inf)\b|\b(?:NaN|nan|True|False)\b|-?\d{16,}(?![\d.eE])|-?\d[\d.]*[eE]\+?\d{3,}/g;

/** JSON.parse with the words of floats, and of Python; integers beyond 2^53 stay exact. */
export function parseLenient(text: string): unknown {
  const readable = text
    .replace(special, (token) => {
      if (token.startsWith('"\\u0000')) return `"${mark}${token.slice(1)}`; // a string that looks like a mark
      if (token.startsWith('"')) return token;
      if (/\d[eE]/.test(token)) return inFloat64(token);
      return `"${mark}${token}"`;
    })
    .replaceAll(mark, "\\u0000");
  try {
    return JSON.parse(readable, (_, value) => unmark(value));
  } catch (error) {
    throw new Error(`Not JSON: ${(error as Error).message.replace(/^JSON\.parse: /, "")}`);
  }
}

/** JSON.parse makes an infinity of 1e400 without a word. */
function inFloat64(token: string): string {
  if (Number.isFinite(Number(token))) return token;
  throw new Error(`${token} is too large for every type: FP64 ends at ${largestOf("FP64")}`);
}

function unmark(value: unknown): unknown {
  if (typeof value !== "string" || !value.startsWith(mark)) return value;
  const word = value.slice(1);
  if (word.startsWith(mark)) return word;
  return words[word.toLowerCase()] ?? BigInt(word);
}

function flatten(node: unknown, into: Element[], depth: number): number[] {
  if (!Array.isArray(node)) {
    into.push(asElement(node));
    return [];
  }
  if (node.length === 0) return [0];
  const inner = flatten(node[0], into, depth + 1);
  for (let i = 1; i < node.length; i++) {
    const other = flatten(node[i], into, depth + 1);
    if (other.join() !== inner.join()) {
      throw new Error(
        `Rows differ in length: row 1 holds ${describe(inner)}, row ${i + 1} holds ${describe(other)}`,
      );
    }
  }
  return [node.length, ...inner];
}

function describe(shape: number[]): string {
  if (shape.length === 0) return "a single value";
  if (shape.length === 1) return count(shape[0] as number, "value");
  return `values of shape [${shape.join(", ")}]`;
}

function asElement(node: unknown): Element {
  if (["number", "bigint", "boolean", "string"].includes(typeof node)) return node as Element;
  if (node !== null && typeof node === "object" && "b64" in node && typeof node.b64 === "string") {
    const bytes = fromBase64(node.b64);
    if (bytes) return bytes;
    throw new Error('The text after "b64" is not base64');
  }
  throw new Error(
    `${node === null ? "null" : "An object"} is not a tensor element: use numbers, true and false, or strings`,
  );
}

/** What is wrong with a list of elements for this type, in a sentence; "" when nothing is. Elements are counted from 1. */
export function complaint(datatype: string, values: readonly Element[]): string {
  if (!isDatatype(datatype)) return noSuchType(datatype);
  for (const [i, value] of values.entries()) {
    const wrong = misfit(datatype, value);
    if (wrong) return `${values.length === 1 ? "The value" : `Value ${i + 1}`} ${wrong}`;
  }
  return "";
}

/** What can be said of an input whose type is none. */
export function noSuchType(datatype: string): string {
  return hasType(datatype)
    ? `${datatype} is not a data type of tensors: correct data_type in the config`
    : "The config gives this input no data type that exists: correct data_type in the config";
}

/** Why one element does not fit a type, as the end of a sentence. */
function misfit(datatype: string, value: Element): string {
  if (datatype === "BYTES") {
    return typeof value === "string" || typeof value === "object"
      ? ""
      : `is ${value}, without quotes: BYTES takes strings, such as "${value}"`;
  }
  if (typeof value === "string")
    return `is the string ${quoted(value)}: ${datatype} takes ${taken(datatype)}`;
  if (typeof value === "object") return `is bytes: ${datatype} takes ${taken(datatype)}`;
  if (datatype === "BOOL") {
    const fits = typeof value === "boolean" || Number(value) === 0 || Number(value) === 1;
    return fits ? "" : `is ${value}: BOOL takes true and false`;
  }
  if (typeof value === "boolean") return `is ${value}: ${datatype} takes ${taken(datatype)}`;
  return isFloat(datatype) ? floatMisfit(datatype, value) : integerMisfit(datatype, value);
}

function floatMisfit(datatype: string, value: number | bigint): string {
  const tooLarge =
    overflows(datatype, Number(value)) || (typeof value === "bigint" && !Number.isFinite(Number(value)));
  if (!tooLarge) return "";
  const end = Number(value) < 0 ? "-" : "";
  return `is ${value}: ${datatype} ends at ${end}${largestOf(datatype)}. Write ${end}Infinity to send an infinity`;
}

function integerMisfit(datatype: string, value: number | bigint): string {
  const [low, high] = integerRange(datatype) as [bigint, bigint];
  const whole = typeof value === "bigint" || Number.isInteger(value);
  if (whole && BigInt(value) >= low && BigInt(value) <= high) return "";
  return `is ${value}: ${datatype} takes whole numbers from ${low} to ${high}`;
}

const taken = (datatype: string) =>
  datatype === "BOOL" ? "true and false" : isFloat(datatype) ? "numbers" : "whole numbers";

/** What people type for a type. */
function typedAs(datatype: string): string {
  if (datatype === "BYTES") return "strings in double quotes";
  return datatype === "BOOL" ? "true or false" : `${taken(datatype)}, as ${datatype} takes`;
}

const shownBytes = 16;

/** One element as people read it: floats with the digits that their type can tell apart, bytes that are no text in hexadecimal. */
export function elementText(datatype: string, value: Element): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "object") {
    const some = Array.from(value.subarray(0, shownBytes), (byte) => byte.toString(16).padStart(2, "0"));
    const more = value.length > shownBytes ? " …" : "";
    return `${count(value.length, "byte")}: ${some.join(" ")}${more}`;
  }
  return typeof value === "number" ? shortest(datatype, value) : String(value);
}

/** One element as it can be typed again. */
function elementJson(datatype: string, value: Element): string {
  return typeof value === "object" ? `{"b64": "${toBase64(value)}"}` : elementText(datatype, value);
}

/** Nested JSON of a tensor, rows of the last dimension on one line each; at most `limit` elements. */
export function toJson(
  datatype: string,
  shape: readonly number[],
  values: Values,
  limit = Number.POSITIVE_INFINITY,
): string {
  const oneRow = shape.slice(0, -1).every((dim) => dim === 1);
  const state = { at: 0, left: limit };
  const write = (depth: number): string => {
    if (depth === shape.length) {
      state.left--;
      return elementJson(datatype, values.at(state.at++));
    }
    const flat = oneRow || depth === shape.length - 1;
    const parts: string[] = [];
    for (let i = 0; i < (shape[depth] as number); i++) {
      if (state.left <= 0 || state.at >= values.length) {
        if (state.at < values.length) parts.push("…");
        break;
      }
      parts.push(write(depth + 1));
    }
    const indent = `\n${"  ".repeat(depth + 1)}`;
    return flat ? `[${parts.join(", ")}]` : `[${indent}${parts.join(`,${indent}`)}\n${"  ".repeat(depth)}]`;
  };
  return write(0);
}
