/** Decoding picture files with the browser's own decoders. */
import type { Pixels } from "./image";

const maxSide = 4096; // a larger picture is reduced first: canvases of WebKit refuse huge ones

/** Decodes PNG, JPEG, WebP, GIF, BMP: whatever this browser can show. */
export async function decodePicture(file: Blob): Promise<Pixels> {
  const url = URL.createObjectURL(file);
  try {
    return draw(await loadImage(url));
  } finally {
    URL.revokeObjectURL(url);
  }
}

function loadImage(url: string): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () =>
      reject(
        new Error(
          "This file is not a picture that can be decoded here: use PNG, JPEG or WebP, or a .npy file",
        ),
      );
    image.src = url;
  });
}

function draw(image: HTMLImageElement): Pixels {
  const ratio = Math.min(1, maxSide / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.naturalWidth * ratio));
  canvas.height = Math.max(1, Math.round(image.naturalHeight * ratio));
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("The picture could not be drawn: this window has no 2D canvas");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
