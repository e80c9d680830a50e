/** One element as people look at it: what is not text is marked, long ones are cut and whole in their tooltip. */
import { bytes } from "../../lib/format";
import type { Element } from "../../lib/tensor";
import { elementText } from "../../lib/tensor-json";
import { mixedText } from "../../lib/utf8";
import css from "./tensor.module.css";

const mostShown = 48; // characters of a cell
const mostWrapped = 1000; // of one that has the whole width, and wraps
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
  /** The cell has the whole width, and wraps. */
  readonly wraps: boolean;
};

export function CellValue({ datatype, value, size, wraps }: Props) {
  const more = size === undefined ? "" : ` … ${bytes(size)} in all`;
  const most = wraps ? mostWrapped : mostShown;
  if (value instanceof Uint8Array) {
    return (
      <>
        <span
          className={css.mark}
          title="Some of these bytes are not UTF-8 text; they are written as \xff is"
        >
          not UTF-8
        </span>
        {cut(mixedText(value, most), most)}
        {more}
      </>
    );
  }
  return `${cut(cellText(datatype, value), most)}${more}`;
}

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** What the tooltip of a cell says: where the element is, and all of it. */
export function cellTitle(index: string, datatype: string, value: Element): string {
  const text = value instanceof Uint8Array ? mixedText(value, mostTold) : elementText(datatype, value);
  return `${index}\n${cut(text, mostTold)}`;
}
