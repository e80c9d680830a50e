/** Values to pixels of a canvas. */
import type { ImageShape } from "../../lib/image";
import type { Values } from "../../lib/tensor";
import type { Stats } from "../../lib/tensor-stats";

/** Paints a tensor, its least value black and its greatest white; grey for one channel. */
export function paint(
  canvas: HTMLCanvasElement,
  values: Values,
  shape: ImageShape,
  { min, max }: Stats,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(shape.width, shape.height);
  image.data.set(toRgba(values, shape, min, max));
  context.putImageData(image, 0, 0);
}

/** Four bytes for each pixel. */
export function toRgba(values: Values, shape: ImageShape, min: number, max: number): Uint8ClampedArray {
  const { width, height, channels, layout } = shape;
  const count = width * height;
  const span = max - min || 1;
  const out = new Uint8ClampedArray(count * 4);
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < 3; c++) {
      const channel = channels === 3 ? c : 0;
      const at = layout === "HWC" ? i * channels + channel : channel * count + i;
      out[i * 4 + c] = ((Number(values.at(at)) - min) / span) * 255;
    }
    out[i * 4 + 3] = 255;
  }
  return out;
}
