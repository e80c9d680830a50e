/** Chosen files, read for an input. */

import { readNpy } from "../../lib/npy";
import { holdsText, readNumberText } from "../../lib/numberText";
import { openPicture } from "../../lib/picture";
import type { TensorFile } from "../../requests/tryDrafts";

/** All files, or an Error that names the one that could not be read. */
export async function readFiles(files: readonly File[], datatype: string): Promise<TensorFile[]> {
  const read: TensorFile[] = [];
  for (const file of files) {
    try {
      read.push(await (datatype === "BYTES" ? readElement(file) : readTensorFile(file, datatype)));
    } catch (error) {
      throw new Error(`${file.name}: ${(error as Error).message}`);
    }
  }
  return read;
}

const readRaw = async (file: File) => new Uint8Array(await file.arrayBuffer());

/** Any file is one element of BYTES as it is: a JPEG stays a JPEG. */
async function readElement(file: File): Promise<TensorFile> {
  const media = file.type.startsWith("image/") ? file.type : undefined;
  return { name: file.name, size: file.size, kind: "element", raw: await readRaw(file), media };
}

/** Decodes by what the file is, not by what it is called, except for pictures and for numbers as text. */
async function readTensorFile(file: File, datatype: string): Promise<TensorFile> {
  const about = { name: file.name, size: file.size };
  if (file.type.startsWith("image/")) return { ...about, kind: "picture", picture: await openPicture(file) };
  const raw = await readRaw(file);
  if (raw[0] === 0x93 || file.name.endsWith(".npy")) return { ...about, kind: "npy", array: readNpy(raw) };
  if (holdsText(file))
    return { ...about, kind: "numbers", text: readNumberText(new TextDecoder().decode(raw), datatype) };
  return { ...about, kind: "raw", raw };
}
