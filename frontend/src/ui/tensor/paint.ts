/** Values to pixels of a canvas. */
import type { ImageShape } from "../../lib/image";
import type { Values } from "../../lib/tensor";
import { type NotFiniteKind, notFiniteKind, type Range } from "../../lib/tensor-stats";

type Rgb = readonly [number, number, number];

/** What is not finite has no place between black and white. These are the same in light and dark, as the picture is. */
const colours: Readonly<Record<NotFiniteKind, Rgb>> = {
  NaN: [216, 27, 146],
  Infinity: [240, 130, 0],
  "-Infinity": [30, 110, 240],
};
const between: Rgb = [255, 255, 255]; // the other stripes of a hatch
const stripe = 2; // pixels of the canvas
const hatched = 8; // pixels of the canvas for one of the tensor, which show a hatch
const widest = 2048; // of a canvas that is made larger for its hatch

type Painted = {
  readonly values: Values;
  readonly datatype: string;
  readonly shape: ImageShape;
  readonly range: Range;
};

/** The background of a legend's sample, as the pixels of this kind are painted. */
export function sample(kind: NotFiniteKind, { channels }: ImageShape): string {
  const colour = `rgb(${colours[kind].join(" ")})`;
  if (channels === 1) return colour;
  return `repeating-linear-gradient(135deg, ${colour} 0 2px, rgb(${between.join(" ")}) 2px 4px)`;
}

/** Paints a tensor, its least value black and its greatest white; grey for one channel. A fourth one is alpha. Colours with a hatch need pixels to draw it in. */
export function paint(canvas: HTMLCanvasElement, painted: Painted, hatch: boolean): void {
  const { width, height } = painted.shape;
  const scale = hatch ? Math.max(1, Math.min(hatched, Math.floor(widest / Math.max(width, height)))) : 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(canvas.width, canvas.height);
  image.data.set(toRgba(painted, scale));
  context.putImageData(image, 0, 0);
}

/** Four bytes for each pixel of the canvas, which has `scale` times `scale` of them for one of the tensor. */
export function toRgba({ values, datatype, shape, range }: Painted, scale = 1): Uint8ClampedArray {
  const { width, height, channels } = shape;
  const out = new Uint8ClampedArray(width * height * scale * scale * 4);
  const across = width * scale;
  const whole = wholeAlpha(datatype, range);
  for (let i = 0; i < width * height; i++) {
    const { colour, alpha = whole, kind } = pixel(values, shape, range, i);
    const seen = whole === undefined ? 255 : (255 * (alpha ?? whole)) / whole;
    const left = (i % width) * scale;
    const top = Math.floor(i / width) * scale;
    for (let y = top; y < top + scale; y++) {
      for (let x = left; x < left + scale; x++) {
        const gap = kind !== undefined && channels !== 1 && (x + y) % (2 * stripe) >= stripe;
        out.set(gap ? between : colour, (y * across + x) * 4);
        out[(y * across + x) * 4 + 3] = seen;
      }
    }
  }
  return out;
}

/** The alpha of what is wholly seen. Undefined where the values are no colours: all of them is seen. */
function wholeAlpha(datatype: string, { min, max }: Range): number | undefined {
  if (datatype === "UINT8") return 255;
  if (min < 0 || max > 255) return undefined;
  return max <= 1 ? 1 : 255;
}

type Pixel = { readonly colour: Rgb; readonly alpha?: number; readonly kind?: NotFiniteKind };

/** The colour of one pixel, and which kind it is where a channel of it is not finite. */
function pixel(values: Values, shape: ImageShape, { min, max }: Range, i: number): Pixel {
  const { width, height, channels, layout } = shape;
  const span = max - min || 1;
  const channel = (c: number) => {
    const from = channels === 1 ? 0 : c;
    const at = layout === "HWC" ? i * channels + from : from * width * height + i;
    return Number(values.at(at));
  };
  const [red, green, blue] = [channel(0), channel(1), channel(2)];
  const kind = notFiniteKind(red) ?? notFiniteKind(green) ?? notFiniteKind(blue);
  if (kind) return { colour: colours[kind], kind };
  const share = (value: number) => ((value - min) / span) * 255;
  const colour: Rgb = [share(red), share(green), share(blue)];
  return channels === 4 && !notFiniteKind(channel(3)) ? { colour, alpha: channel(3) } : { colour };
}
