/** Pictures decoded and converted, in a worker or in the page. Pixels stay here: a photo's are 50 MB. */
import { type Conversion, convert, type Pixels, preview } from "./image";

export type Question = {
  readonly picture: number; // its number
  readonly file: Blob;
  readonly pixels?: Pixels; // where the page had to decode it
  readonly wanted?: { readonly conversion: Conversion; readonly datatype: string };
};

/** A picture's size; what a model gets of it, and how that looks, where this was wanted. */
export type Answer = {
  readonly width: number;
  readonly height: number;
  readonly converted?: Converted;
};

export type Converted = { readonly raw: Uint8Array<ArrayBuffer>; readonly view: Pixels };

/** Why a picture cannot be decoded here; the page can do it. */
export const undecoded = "undecoded";

const mostSide = 4096; // a larger picture is reduced first: canvases of WebKit refuse huge ones
const mostKept = 256 * 1024 * 1024; // bytes of pixels; a picture that was dropped is decoded again

/** The size at which a picture is decoded. */
export function sizeOf(width: number, height: number): { width: number; height: number } {
  const ratio = Math.min(1, mostSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}

/** Does what is asked of pictures. `decode` gives no pixels where it cannot. */
export function createWork(decode: (file: Blob) => Promise<Pixels | undefined>) {
  const kept = new Map<number, Pixels>(); // the one used last is the last
  const keep = (picture: number, pixels: Pixels) => {
    kept.delete(picture);
    kept.set(picture, pixels);
    let size = [...kept.values()].reduce((sum, { data }) => sum + data.length, 0);
    for (const [oldest, { data }] of kept) {
      if (size <= mostKept || oldest === picture) break;
      kept.delete(oldest);
      size -= data.length;
    }
  };
  return async ({ picture, file, pixels: given, wanted }: Question): Promise<Answer> => {
    const pixels = given ?? kept.get(picture) ?? (await decode(file));
    if (!pixels) throw new Error(undecoded);
    keep(picture, pixels);
    const { width, height } = pixels;
    return { width, height, converted: wanted && convertedOf(pixels, wanted.conversion, wanted.datatype) };
  };
}

export function convertedOf(pixels: Pixels, conversion: Conversion, datatype: string): Converted {
  const raw = convert(pixels, conversion, datatype);
  return { raw, view: preview(raw, conversion, datatype) };
}

/** Decodes without the page's help, where the browser can. */
export async function decodeAlone(file: Blob): Promise<Pixels | undefined> {
  if (typeof createImageBitmap === "undefined" || typeof OffscreenCanvas === "undefined") return undefined;
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
    const { width, height } = sizeOf(bitmap.width, bitmap.height);
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    context?.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    return context?.getImageData(0, 0, width, height);
  } catch {
    return undefined; // the page tries, and says why when it cannot
  }
}
