/** Chosen files, read for an input. */
import { readNpy } from "../../lib/npy";
import { openPicture } from "../../lib/picture";
import type { TensorFile } from "../../requests/tryDrafts";

/** All files, or an Error that names the one that could not be read. */
export async function readFiles(files: readonly File[], datatype: string): Promise<TensorFile[]> {
  const read: TensorFile[] = [];
  for (const file of files) {
    try {
      read.push(await (datatype === "BYTES" ? readElement(file) : readTensorFile(file)));
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

/** Decodes by what the file is, not by what it is called, except for pictures. */
async function readTensorFile(file: File): Promise<TensorFile> {
  const about = { name: file.name, size: file.size };
  if (file.type.startsWith("image/")) return { ...about, kind: "picture", picture: await openPicture(file) };
  const raw = await readRaw(file);
  if (raw[0] === 0x93 || file.name.endsWith(".npy")) return { ...about, kind: "npy", array: readNpy(raw) };
  return { ...about, kind: "raw", raw };
}
