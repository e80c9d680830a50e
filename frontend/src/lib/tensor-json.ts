/** Tensor values as people type them: JSON arrays, nested or flat, with NaN and the infinities that JSON leaves out. */
import { type Element, integerRange, isFloat, type Values } from "./tensor";

export type ParsedValues = { readonly shape: number[]; readonly values: Element[] };

const words: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};
const mark = "\u0000";

/** Reads typed text. Throws an Error whose message says what is wrong with it and where. */
export function parseValues(text: string): ParsedValues {
  if (text.trim() === "") throw new Error("No values yet: type a JSON array, such as [1, 2, 3]");
  return flatValues(parseLenient(text));
}

/** The elements of nested lists in row-major order, and their shape. Throws where rows differ. */
export function flatValues(tree: unknown): ParsedValues {
  const values: Element[] = [];
  return { shape: flatten(tree, values, 0), values };
}

/** JSON.parse with the three words that floats need; integers beyond 2^53 stay exact. */
export function parseLenient(text: string): unknown {
  const readable = text
    .replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN|-?\d{16,}(?![\d.eE])/g, (token) => {
      if (token.startsWith('"')) return token;
      return `"${mark}${token}"`;
    })
    .replaceAll(mark, "\\u0000");
  try {
    return JSON.parse(readable, (_, value) => unmark(value));
  } catch (error) {
    throw new Error(`Not JSON: ${(error as Error).message.replace(/^JSON\.parse: /, "")}`);
  }
}

function unmark(value: unknown): unknown {
  if (typeof value !== "string" || !value.startsWith(mark)) return value;
  const word = value.slice(1);
  return word in words ? words[word] : BigInt(word);
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
        `Rows differ: element ${i} at depth ${depth + 1} holds ${describe(other)}, the first holds ${describe(inner)}`,
      );
    }
  }
  return [node.length, ...inner];
}

function describe(shape: number[]): string {
  return shape.length === 0 ? "a single value" : `[${shape.join(", ")}]`;
}

function asElement(node: unknown): Element {
  if (["number", "bigint", "boolean", "string"].includes(typeof node)) return node as Element;
  throw new Error(
    `${node === null ? "null" : "An object"} is not a tensor element: use numbers, true and false, or strings`,
  );
}

/** What is wrong with a list of elements for this type, in a sentence; "" when nothing is. */
export function complaint(datatype: string, values: readonly Element[]): string {
  const wants = datatype === "BYTES" ? "string" : datatype === "BOOL" ? "boolean" : "number";
  const range = integerRange(datatype);
  for (const [i, value] of values.entries()) {
    const is = typeof value === "bigint" ? "number" : typeof value;
    if (is !== wants && !(wants === "boolean" && (value === 0 || value === 1))) {
      return `Element ${i} is a ${is}; ${datatype} takes ${wants}s`;
    }
    if (range && (Number(value) < range[0] || Number(value) > range[1]))
      return `Element ${i} is ${value}, outside ${datatype}`;
    if (range && typeof value === "number" && !Number.isInteger(value))
      return `Element ${i} is ${value}; ${datatype} takes whole numbers`;
  }
  return "";
}

/** One element as text: floats with the digits that their type can tell apart. */
export function elementText(datatype: string, value: Element): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "number" || !isFloat(datatype) || !Number.isFinite(value)) return String(value);
  const digits = datatype === "FP64" ? 17 : datatype === "FP32" ? 9 : 5;
  return String(Number(value.toPrecision(Math.min(digits - 1, 16))));
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
      return elementText(datatype, values.at(state.at++));
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
