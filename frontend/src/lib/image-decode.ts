/** Decoding picture files in the page, where a worker cannot. The page draws between the strips of a picture. */
import { type Decoded, sizeOf } from "./pictureWork";

const strip = 256 * 1024; // pixels that are read at once: a few milliseconds

export async function decodePicture(file: Blob): Promise<Decoded> {
  const url = URL.createObjectURL(file);
  try {
    return await read(await loadImage(url));
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function loadImage(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return image;
  } catch {
    throw new Error(
      "This file is not a picture that can be decoded here: use PNG, JPEG or WebP, or a .npy file",
    );
  }
}

async function read(image: HTMLImageElement): Promise<Decoded> {
  const { naturalWidth, naturalHeight } = image;
  const own = { width: naturalWidth, height: naturalHeight };
  const { width, height } = sizeOf(own);
  const scale = naturalHeight / height;
  const rows = Math.max(1, Math.floor(strip / width));
  const canvas = Object.assign(document.createElement("canvas"), { width, height: rows });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("The picture could not be drawn: this window has no 2D canvas");
  const data = new Uint8ClampedArray(width * height * 4);
  for (let top = 0; top < height; top += rows) {
    const part = Math.min(rows, height - top);
    context.clearRect(0, 0, width, rows);
    context.drawImage(image, 0, top * scale, naturalWidth, part * scale, 0, 0, width, part);
    data.set(context.getImageData(0, 0, width, part).data, top * width * 4);
    await nextTask();
  }
  return { pixels: { width, height, data }, own };
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve));
