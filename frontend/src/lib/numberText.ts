/** Numbers in text files, such as CSV: values between commas, semicolons, tabs or spaces, row by row, or a JSON list. Pure functions. */
import { count } from "./format";
import type { Element } from "./tensor";
import { parseValues } from "./tensor-json";

export type NumberText = {
  readonly shape: readonly number[];
  readonly values: readonly Element[];
  readonly named: boolean; // its first line has names, and is no row
};

/** How the files are called whose text is read. All others, such as .bin and .raw, are bytes. */
export const holdsText = ({ name, type }: { readonly name: string; readonly type: string }): boolean =>
  /\.(txt|csv|tsv|json)$/i.test(name) || (type.startsWith("text/") && !/\.(bin|raw)$/i.test(name));

/** Reads the values of a type; an Error says which line holds none. */
export function readNumberText(text: string, datatype: string): NumberText {
  const plain = text.replace(/^\ufeff/, "").trim(); // spreadsheets begin with a mark of the encoding
  if (plain.startsWith("[")) return { ...parseValues(plain, datatype), named: false };
  const lines = linesOf(plain);
  const named = lines.length > 1 && (lines[0]?.cells ?? []).every((cell) => !isValue(cell));
  const rows = named ? lines.slice(1) : lines;
  if (rows.length === 0) throw new Error("the text holds no numbers");
  for (const { cells, line } of rows) {
    const wrong = cells.find((cell) => !isValue(cell));
    if (wrong !== undefined) throw new Error(notANumber(wrong, line));
  }
  const { values } = parseValues(`[${rows.flatMap(({ cells }) => cells.map(asJson)).join(",")}]`, datatype);
  return { shape: shapeOf(rows.map(({ cells }) => cells.length)), values, named };
}

const notANumber = (cell: string, line: number): string =>
  `${cell === "" ? "a value is missing" : `"${cell.length > 24 ? `${cell.slice(0, 24)}…` : cell}" is not a number`} (line ${line}). Bytes that are sent as they are need a name that ends in .bin or .raw`;

type Line = { readonly cells: readonly string[]; readonly line: number };

/** Lines that begin with # are comments, as numpy writes them. A separator at the end of a line begins no value. */
const linesOf = (text: string): Line[] =>
  text.split(/\r\n|\r|\n/).flatMap((row, at) => {
    const trimmed = row.trim().replace(/\s*[,;]$/, "");
    if (trimmed === "" || trimmed.startsWith("#")) return [];
    return [{ cells: trimmed.split(/\s*[,;]\s*|\s+/).map(unquoted), line: at + 1 }];
  });

const unquoted = (cell: string): string => cell.replace(/^"(.*)"$/, "$1");

const value = /^([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)|true|false)$/i;

const isValue = (cell: string): boolean => value.test(cell);

/** A value as JSON has it, and as `parseValues` reads those that JSON lacks. */
function asJson(cell: string): string {
  const word = /^([+-]?)(nan|inf|infinity|true|false)$/i.exec(cell);
  if (!word)
    return cell
      .replace(/^\+/, "")
      .replace(/^(-?)\./, "$10.")
      .replace(/\.(?=$|[eE])/, "")
      .replace(/^(-?)0+(?=\d)/, "$1");
  const [, sign, name = ""] = word;
  if (/^inf/i.test(name)) return sign === "-" ? "-Infinity" : "Infinity";
  return /^nan$/i.test(name) ? "NaN" : name.toLowerCase();
}

/** Rows of one length make a table; a single row or column, and lines that only wrap, make a list. */
function shapeOf(lengths: readonly number[]): number[] {
  const [columns = 0] = lengths;
  const all = lengths.reduce((sum, n) => sum + n, 0);
  const table = lengths.length > 1 && columns > 1 && lengths.every((n) => n === columns);
  return table ? [lengths.length, columns] : [all];
}

/** What was read, in words: "3 rows of 16 numbers". */
export function numberTextPhrase({ shape, named }: Pick<NumberText, "shape" | "named">): string {
  const [rows = 0, columns] = shape;
  const read =
    shape.length === 2 && columns !== undefined
      ? `${count(rows, "row")} of ${count(columns, "number")}`
      : shape.length > 2
        ? `numbers of the shape [${shape.join(", ")}]`
        : count(rows, "number");
  return `${read}, read from its text${named ? "; the first line has names and is left out" : ""}`;
}
