/** Which ways of looking at a tensor make sense, and where its rows are. Pure functions. */

import { isFloat } from "../../lib/floats";
import { guessImage, type ImageShape } from "../../lib/image";
import { looksLikeProbabilities } from "../../lib/tensor-stats";
import { near, run, runAt, type Shown } from "./source";

export type ViewName = "classes" | "table" | "image" | "raw";

export const viewLabels: Record<ViewName, string> = {
  classes: "Classes",
  table: "Table",
  image: "Image",
  raw: "Raw",
};

/** More scores than any classifier gives: they are something else. */
const mostClasses = 200_000;

/** So many values are looked at before anything is shown. */
const mostProbed = 20_000;

function looksLikely({ values }: Shown, classes: number): boolean {
  return values !== undefined && looksLikeProbabilities(run(near(values, runAt(0, classes))));
}

/** How many classes each item has, when the tensor is [n] or [batch, n] (ones in between allowed). */
export function classCount({ datatype, shape, labels }: Shown): number | undefined {
  if (datatype === "BYTES" || datatype === "BOOL" || shape.length === 0) return undefined;
  const n = shape[shape.length - 1] as number;
  const middle = shape.slice(1, -1).every((d) => d === 1);
  const plausible = labels.length > 0 || isFloat(datatype);
  return middle && n >= 2 && n <= mostClasses && plausible ? n : undefined;
}

const flatDigits = [64, 784]; // those of scikit-learn and MNIST

/** How a tensor holds a picture: not when its rows are flat, which are more often scores or features. */
export function pictureOf({ datatype, shape }: Shown): ImageShape | undefined {
  if (datatype === "BYTES") return undefined;
  const found = guessImage(shape);
  if (found?.channels === 4 && datatype !== "UINT8") return undefined; // features rather than colours
  const last = shape[shape.length - 1] ?? 0;
  const flat = found !== undefined && shape.length < 3 && found.width * found.height === last;
  return flat && !flatDigits.includes(last) ? undefined : found;
}

/** A picture has a place for its channels, or bytes, or is one of the known digits, or is about as wide as high. */
function looksLikePicture({ datatype, shape }: Shown, { width, height, channels }: ImageShape): boolean {
  if (datatype === "UINT8" || channels === 3 || flatDigits.includes(shape[shape.length - 1] ?? 0))
    return true;
  return Math.max(width, height) <= 2 * Math.min(width, height);
}

/** Every view that fits, the best first. */
export function viewsOf(shown: Shown): ViewName[] {
  const views: ViewName[] = ["table", "raw"];
  const picture = pictureOf(shown);
  if (picture) views.splice(looksLikePicture(shown, picture) ? 0 : 1, 0, "image");
  const classes = classCount(shown);
  if (!classes) return views;
  const likely = shown.labels.length > 0 || (classes <= mostProbed && looksLikely(shown, classes));
  return likely ? ["classes", ...views] : [...views.slice(0, -1), "classes", "raw"];
}
