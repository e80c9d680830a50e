/** NumPy's .npy files, versions 1 to 3: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
import { elementCount, elementSize } from "./tensor";

export type NpyArray = {
  readonly datatype: string;
  readonly shape: number[];
  readonly raw: Uint8Array<ArrayBuffer>;
};

/** NumPy's type codes without the byte order. */
const types: Record<string, string> = {
  b1: "BOOL",
  u1: "UINT8",
  u2: "UINT16",
  u4: "UINT32",
  u8: "UINT64",
  i1: "INT8",
  i2: "INT16",
  i4: "INT32",
  i8: "INT64",
  f2: "FP16",
  f4: "FP32",
  f8: "FP64",
};
const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** Reads a .npy file. Throws an Error whose message can be shown. */
export function readNpy(file: Uint8Array): NpyArray {
  if (file.length < 10 || magic.some((byte, i) => file[i] !== byte))
    throw new Error("This is not a .npy file: it does not begin as NumPy writes it");
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const wide = (file[6] as number) >= 2; // since version 2 the header's length takes four bytes
  const start = wide ? 12 : 10;
  const end = start + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  if (end > file.length) throw new Error("The .npy file ends inside its header");
  const header = parseHeader(new TextDecoder().decode(file.subarray(start, end)));
  const size = elementSize(header.datatype);
  const length = elementCount(header.shape) * size;
  if (file.length - end < length)
    throw new Error(
      `The .npy file is cut short: ${length} bytes of values announced, ${file.length - end} there`,
    );
  let raw = file.slice(end, end + length) as Uint8Array<ArrayBuffer>;
  if (header.bigEndian) raw = swapBytes(raw, size);
  if (header.fortran) raw = toRowMajor(raw, header.shape, size);
  return { datatype: header.datatype, shape: header.shape, raw };
}

type Header = { datatype: string; shape: number[]; fortran: boolean; bigEndian: boolean };

function parseHeader(text: string): Header {
  const descr = /'descr'\s*:\s*'([<>|=]?)([A-Za-z]\d+)'/.exec(text);
  const shape = /'shape'\s*:\s*\(([^)]*)\)/.exec(text);
  if (!shape) throw new Error("The header of the .npy file has no shape");
  const datatype = descr && types[descr[2] as string];
  if (!datatype)
    throw new Error(
      "Triton has no data type for the values of this .npy file: save numbers or booleans, for instance with arr.astype(np.float32)",
    );
  const dims = (shape[1] as string)
    .split(",")
    .map((d) => d.trim())
    .filter((d) => d !== "")
    .map(Number);
  return {
    datatype,
    shape: dims,
    fortran: /'fortran_order'\s*:\s*True/.test(text),
    bigEndian: descr[1] === ">",
  };
}

function swapBytes(raw: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += size) {
    for (let i = 0; i < size; i++) out[at + i] = raw[at + size - 1 - i] as number;
  }
  return out;
}

/** Column-major bytes to row-major ones. */
function toRowMajor(raw: Uint8Array<ArrayBuffer>, shape: number[], size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(raw.length);
  const index = new Array<number>(shape.length).fill(0);
  const strides = shape.map((_, axis) => elementCount(shape.slice(0, axis)) * size);
  for (let at = 0; at < raw.length; at += size) {
    const from = index.reduce((n, i, axis) => n + i * (strides[axis] as number), 0);
    out.set(raw.subarray(from, from + size), at);
    advance(index, shape);
  }
  return out;
}

function advance(index: number[], shape: number[]): void {
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = (index[axis] as number) + 1;
    if ((index[axis] as number) < (shape[axis] as number)) return;
    index[axis] = 0;
  }
}

/** Writes a version 1.0 file. BF16 and BYTES have no NumPy code and are refused. */
export function writeNpy(array: NpyArray): Uint8Array<ArrayBuffer> {
  const code = Object.keys(types).find((key) => types[key] === array.datatype);
  if (!code)
    throw new Error(`NumPy has no type for ${array.datatype}; the JSON of the tensor can be copied instead`);
  const order = elementSize(array.datatype) === 1 ? "|" : "<";
  const dims = array.shape.length === 1 ? `${array.shape[0]},` : array.shape.join(", ");
  const dict = `{'descr': '${order}${code}', 'fortran_order': False, 'shape': (${dims}), }`;
  const total = Math.ceil((10 + dict.length + 1) / 64) * 64; // values begin at a multiple of 64
  const header = new TextEncoder().encode(`${dict.padEnd(total - 11)}\n`);
  const file = new Uint8Array(total + array.raw.length);
  file.set([...magic, 1, 0]);
  new DataView(file.buffer).setUint16(8, header.length, true);
  file.set(header, 10);
  file.set(array.raw, total);
  return file;
}
