/** One element as people look at it: what is not text is marked, long ones are cut and whole in their tooltip. */
import { bytes } from "../../lib/format";
import type { Element } from "../../lib/tensor";
import { elementText } from "../../lib/tensor-json";
import css from "./tensor.module.css";

const mostShown = 48; // characters of a cell
const mostTold = 2000; // of its tooltip
const digits = 6; // of a float in a table, where it has more

/** The text of a cell. A float that needs more digits is shown with six; its tooltip has all. */
export function cellText(datatype: string, value: Element): string {
  const text = elementText(datatype, value);
  if (typeof value !== "number" || !Number.isFinite(value) || text.length <= digits + 4) return text;
  return Number.isInteger(value) ? text : String(Number(value.toPrecision(digits)));
}

type Props = {
  readonly datatype: string;
  readonly value: Element;
  /** The whole length of an element of which this is the beginning. */
  readonly size: number | undefined;
};

export function CellValue({ datatype, value, size }: Props) {
  const more = size === undefined ? "" : ` … ${bytes(size)} in all`;
  if (value instanceof Uint8Array) {
    return (
      <>
        <span className={css.mark} title="These bytes are not UTF-8 text">
          not UTF-8
        </span>
        {escaped(value)}
        {more}
      </>
    );
  }
  const text = cellText(datatype, value);
  return `${text.length > mostShown ? `${text.slice(0, mostShown)}…` : text}${more}`;
}

const shownBytes = 12;

/** Bytes as they are escaped in strings: \xff\xd8. */
export function escaped(value: Uint8Array): string {
  const some = Array.from(
    value.subarray(0, shownBytes),
    (byte) => `\\x${byte.toString(16).padStart(2, "0")}`,
  );
  return `${some.join("")}${value.length > shownBytes ? "…" : ""}`;
}

/** What the tooltip of a cell says: where the element is, and all of it. */
export function cellTitle(index: string, datatype: string, value: Element): string {
  const text = elementText(datatype, value);
  return `${index}\n${text.length > mostTold ? `${text.slice(0, mostTold)}…` : text}`;
}
