/** Pictures decoded and converted, in a worker or in the page. Pixels stay here: a photo's are 50 MB. */
import { type Conversion, convert, isTransparent, mostSide, type Pixels, preview, type Size } from "./image";

export type Question = {
  readonly picture: number; // its number
  readonly file: Blob;
  readonly decoded?: Decoded; // where the page had to decode it
  readonly wanted?: { readonly conversion: Conversion; readonly datatype: string };
};

/** The pixels of a file, reduced where its own size is too large. */
export type Decoded = { readonly pixels: Pixels; readonly own: Size };

/** A picture's own size, and that of its pixels; what a model gets of it, and how that looks, where this was wanted. */
export type Answer = {
  readonly own: Size;
  readonly read: Size;
  readonly transparent?: boolean; // told where nothing is wanted
  readonly converted?: Converted;
};

export type Converted = { readonly raw: Uint8Array<ArrayBuffer>; readonly view: Pixels };

/** Why a picture cannot be decoded here; the page can do it. */
export const undecoded = "undecoded";

const mostKept = 256 * 1024 * 1024; // bytes of pixels; a picture that was dropped is decoded again

/** The size at which a picture is decoded: a larger one is reduced. */
export function sizeOf({ width, height }: Size): Size {
  const ratio = Math.min(1, mostSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}

/** Does what is asked of pictures. `decode` gives no pixels where it cannot. */
export function createWork(decode: (file: Blob) => Promise<Decoded | undefined>) {
  const kept = new Map<number, Decoded>(); // the one used last is the last
  const keep = (picture: number, decoded: Decoded) => {
    kept.delete(picture);
    kept.set(picture, decoded);
    let size = [...kept.values()].reduce((sum, { pixels }) => sum + pixels.data.length, 0);
    for (const [oldest, { pixels }] of kept) {
      if (size <= mostKept || oldest === picture) break;
      kept.delete(oldest);
      size -= pixels.data.length;
    }
  };
  return async ({ picture, file, decoded: given, wanted }: Question): Promise<Answer> => {
    const decoded = given ?? kept.get(picture) ?? (await decode(file));
    if (!decoded) throw new Error(undecoded);
    keep(picture, decoded);
    const { pixels, own } = decoded;
    const read = { width: pixels.width, height: pixels.height };
    if (!wanted) return { own, read, transparent: isTransparent(pixels) };
    return { own, read, converted: convertedOf(pixels, wanted.conversion, wanted.datatype) };
  };
}

export function convertedOf(pixels: Pixels, conversion: Conversion, datatype: string): Converted {
  const raw = convert(pixels, conversion, datatype);
  return { raw, view: preview(raw, conversion, datatype) };
}

/** Decodes without the page's help, where the browser can. */
export async function decodeAlone(file: Blob): Promise<Decoded | undefined> {
  if (typeof createImageBitmap === "undefined" || typeof OffscreenCanvas === "undefined") return undefined;
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
    const own = { width: bitmap.width, height: bitmap.height };
    const { width, height } = sizeOf(own);
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    context?.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    const pixels = context?.getImageData(0, 0, width, height);
    return pixels && { pixels, own };
  } catch {
    return undefined; // the page tries, and says why when it cannot
  }
}
