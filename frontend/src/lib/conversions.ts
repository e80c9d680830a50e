/** The usual ways of scaling pixels, by name. */
import { type Channels, type Conversion, differs, mostSide, type Size } from "./image";

export type Preset = {
  readonly id: string;
  readonly label: string;
  readonly values: Pick<Conversion, "scale" | "mean" | "std">;
};

/** Means and deviations of the ImageNet training set, as torchvision's models want them. */
const imagenet = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };

/** Presets for a number of channels. */
export function presets(channels: Channels): Preset[] {
  const plain = (scale: number, shift = 0) => ({
    scale,
    mean: new Array<number>(channels).fill(shift),
    std: new Array<number>(channels).fill(1),
  });
  const list = [
    { id: "0-1", label: "0 … 1", values: plain(1 / 255) },
    { id: "-1-1", label: "−1 … 1", values: plain(2 / 255, 1) },
    { id: "0-255", label: "0 … 255", values: plain(1) },
    { id: "0-16", label: "0 … 16", values: plain(16 / 255) },
  ];
  return channels === 3
    ? [...list, { id: "imagenet", label: "ImageNet", values: { scale: 1 / 255, ...imagenet } }]
    : list;
}

/** The preset that a conversion is, if it is one. */
export function presetOf(conversion: Conversion): Preset | undefined {
  const same = (a: readonly number[], b: readonly number[]) =>
    a.length === b.length && a.every((v, i) => Math.abs(v - (b[i] as number)) < 1e-9);
  return presets(conversion.channels).find(
    ({ values }) =>
      Math.abs(values.scale - conversion.scale) < 1e-9 &&
      same(values.mean, conversion.mean) &&
      same(values.std, conversion.std),
  );
}

/** What is converted: in words, its size, that of the file, which may have too many pixels to be read whole, and if parts of it are transparent. */
export type Source = Size & { readonly text: string; readonly own?: Size; readonly transparent?: boolean };

/** The conversion in short lines: what is drawn or read, how it is scaled, what the values are, what shows through. */
export function describeConversion(conversion: Conversion, source: Source): string[] {
  const { channels, layout, invert } = conversion;
  const preset = presetOf(conversion);
  const range = preset
    ? `Values ${preset.label}`
    : `× ${Number(conversion.scale.toPrecision(4))} − mean ÷ std`;
  const order =
    channels === 1 ? "row major" : layout === "HWC" ? "height, width, channel" : "channel, height, width";
  const values = `${range}, ${order}${channels === 4 ? ", RGBA" : ""}${invert ? ", inverted" : ""}`;
  const kept = "Transparency is kept, as alpha; colours of clear pixels are not"; // nor does a canvas have them
  const through = channels === 4 ? kept : "Transparent parts become white";
  return [source.text, scaling(conversion, source), values, ...(source.transparent ? [through] : [])];
}

function scaling(conversion: Conversion, source: Source): string {
  const { width, height, fit } = conversion;
  const size = `${width} × ${height}`;
  const { own = source } = source;
  if (width === source.width && height === source.height) {
    const whole = own.width === width && own.height === height;
    return whole ? "Not scaled" : `Scaled to ${size}: a side has at most ${mostSide} pixels here`;
  }
  if (!differs(source, conversion)) return `Scaled to ${size}, area`;
  if (fit === "stretch") return `Stretched to ${size}`;
  const wider = source.width / source.height > width / height;
  if (fit === "fill") return `Fills ${size}, ${wider ? "left and right" : "top and bottom"} cut off`;
  return `Fits into ${size}, bars ${wider ? "above and below" : "at the sides"}`;
}
