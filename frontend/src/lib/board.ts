/** The page to draw a picture on. Pure functions. */
import { defaultConversion, fitPlane, mostSide, type Size } from "./image";

const leastSide = 28; // a coarser board cannot show a digit
const finestSide = 1024;
const finestCells = 640 * 480; // more would make each stroke slow

/** The board of a shape that holds no picture. */
export const plainBoard: Size = { width: leastSide, height: leastSide };

/** The board has the picture's proportions, and its very pixels where they are of a size to draw with. */
export function boardSize({ width, height }: Size): Size {
  const [least, most] = [Math.min(width, height), Math.max(width, height)];
  const finest = Math.min(1, finestSide / most, Math.sqrt(finestCells / (width * height)));
  const ratio = Math.min(mostSide / most, Math.max(leastSide / least, finest));
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}

/** Ink of a board of another size, whole and with its proportions. */
export function fitInk(ink: Uint8Array, from: Size, to: Size): Uint8Array<ArrayBuffer> {
  if (from.width === to.width && from.height === to.height) return ink.slice();
  const board = defaultConversion({ ...to, channels: 1, layout: "HWC" }, "UINT8");
  return Uint8Array.from(fitPlane(Float32Array.from(ink), from, board), Math.round);
}
