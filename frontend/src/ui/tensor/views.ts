/** Which ways of looking at a tensor make sense, and where its rows are. Pure functions. */

import { isFloat } from "../../lib/floats";
import { guessImage, type ImageShape } from "../../lib/image";
import type { Values } from "../../lib/tensor";
import { looksLikeProbabilities } from "../../lib/tensor-stats";

export type ViewName = "classes" | "table" | "image" | "raw";

export const viewLabels: Record<ViewName, string> = {
  classes: "Classes",
  table: "Table",
  image: "Image",
  raw: "Raw",
};

export type Shown = {
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly labels: readonly string[];
  readonly values: Values;
};

/** The element of a batch that is looked at, as values of its own. */
export function slice(values: Values, item: number, size: number): Values {
  return { length: size, at: (index) => values.at(item * size + index) };
}

/** How many classes each item has, when the tensor is [n] or [batch, n] (ones in between allowed). */
export function classCount({ datatype, shape, labels }: Shown): number | undefined {
  if (datatype === "BYTES" || datatype === "BOOL" || shape.length === 0) return undefined;
  const n = shape[shape.length - 1] as number;
  const middle = shape.slice(1, -1).every((d) => d === 1);
  const plausible = labels.length > 0 || isFloat(datatype);
  return middle && n >= 2 && plausible ? n : undefined;
}

/** How a tensor holds a picture: not when it is a flat row, which is more often a list of scores. */
export function pictureOf({ datatype, shape }: Shown): ImageShape | undefined {
  if (datatype === "BYTES") return undefined;
  const flat = shape.filter((d) => d > 1).length < 2;
  const square = flat && [64, 784].includes(shape[shape.length - 1] ?? 0); // the digits of scikit-learn and MNIST
  return flat && !square ? undefined : guessImage(shape);
}

/** Every view that fits, the best first. */
export function viewsOf(shown: Shown): ViewName[] {
  const views: ViewName[] = ["table", "raw"];
  const picture = pictureOf(shown);
  if (picture) views.unshift("image");
  const classes = classCount(shown);
  if (!classes) return views;
  const likely = shown.labels.length > 0 || looksLikeProbabilities(slice(shown.values, 0, classes));
  return likely ? ["classes", ...views] : [...views.slice(0, -1), "classes", "raw"];
}

/** Rows and columns of the table: the last dimension across, everything before it down. */
export function tableSize(shape: readonly number[], length: number): { rows: number; columns: number } {
  const columns = shape.length === 0 ? 1 : (shape[shape.length - 1] as number);
  return { rows: columns === 0 ? 0 : Math.ceil(length / columns), columns };
}

/** The name of a row: its indices in all dimensions but the last. */
export function rowName(shape: readonly number[], row: number): string {
  const dims = shape.slice(0, -1);
  const indices: number[] = [];
  for (let rest = row, axis = dims.length - 1; axis >= 0; axis--) {
    const dim = dims[axis] || 1;
    indices.unshift(rest % dim);
    rest = Math.floor(rest / dim);
  }
  return indices.join(", ");
}
