/** Which ways of looking at a tensor make sense, and where its rows are. Pure functions. */

import { isFloat } from "../../lib/floats";
import { areFeatures } from "../../lib/fourChannels";
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

/** Whether a row is flat, which is more often scores or features than a picture. */
const isFlat = ({ shape }: Shown, { width, height }: ImageShape): boolean =>
  shape.length < 3 && width * height === shape.at(-1);

/** How a tensor holds a picture: not when its rows are flat, except those of known digits. */
export function pictureOf(shown: Shown): ImageShape | undefined {
  const { datatype, shape } = shown;
  if (datatype === "BYTES") return undefined;
  const found = guessImage(shape);
  const isOther = found !== undefined && isFlat(shown, found) && !flatDigits.includes(shape.at(-1) ?? 0);
  return isOther ? undefined : found;
}

/** A picture has a place for its channels, or bytes, or is about as wide as high. A vector is values first, as an input of its shape is. */
function looksLikePicture(shown: Shown, picture: ImageShape): boolean {
  const { width, height, channels } = picture;
  if (isFlat(shown, picture) || areFeatures(picture, shown.datatype)) return false;
  if (shown.datatype === "UINT8" || channels === 3) return true;
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
