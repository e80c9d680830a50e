/** The answers of a decoupled model side by side: each in short, and the text that they are parts of. */
import type { InferResponse, OutputTensor } from "../api/conch_pb";
import { decode, type Element } from "../lib/tensor";
import { elementText } from "../lib/tensor-json";
import { mixedText } from "../lib/utf8";

/** How many values of an output a row shows, and how many characters of one. */
const mostValues = 4;
const mostCharacters = 80;

/** The first values of every output, each with its name where there are several. */
export function inOneLine({ outputs }: InferResponse): string {
  if (outputs.length === 0) return "no outputs";
  return outputs
    .map((output) => (outputs.length > 1 ? `${output.name} ${firstValues(output)}` : firstValues(output)))
    .join(" · ");
}

function firstValues({ datatype, raw, shape, source }: OutputTensor): string {
  const values = decode(datatype, raw);
  const count = shape.reduce((all, dim) => all * Number(dim), 1);
  if (source > 0n || values.length < count) return `${datatype} [${shape.join(", ")}]`; // its bytes are not in the page
  const first = Array.from({ length: Math.min(mostValues, values.length) }, (_, i) =>
    short(datatype, values.at(i)),
  );
  return [...first, ...(values.length > mostValues ? ["…"] : [])].join(", ") || "empty";
}

function short(datatype: string, value: Element): string {
  const text = value instanceof Uint8Array ? mixedText(value, mostCharacters) : elementText(datatype, value);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}

/** How many bytes of text are put together. */
const mostText = 200_000;

/** The string of an answer that has exactly one; a model that answers by the token gives one at a time. */
function onlyText({ outputs }: InferResponse): Element | undefined {
  const [only, other] = outputs.filter(({ datatype }) => datatype === "BYTES");
  if (!only || other) return undefined;
  const values = decode("BYTES", only.raw);
  return values.length === 1 ? values.at(0) : undefined;
}

/** Whether answers look like the parts of one text: the first has one string. */
export const isText = ([first]: readonly InferResponse[]): boolean =>
  first !== undefined && onlyText(first) !== undefined;

/** The strings of the answers, one behind the other. A character may be cut between two of them. */
export function joined(parts: readonly InferResponse[]): string {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let text = "";
  for (const part of parts) {
    const value = onlyText(part);
    if (typeof value !== "string" && !(value instanceof Uint8Array)) continue; // an answer that only ends the text
    text += decoder.decode(typeof value === "string" ? encoder.encode(value) : value, { stream: true });
    if (text.length > mostText) return `${text.slice(0, mostText)}…`;
  }
  return text + decoder.decode();
}
