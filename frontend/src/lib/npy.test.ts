import { describe, expect, it } from "vitest";
import { readNpy, writeNpy } from "./npy";
import { decode, encode } from "./tensor";

/** A file as NumPy writes it. */
function npy(header: string, raw: Uint8Array, version = 1): Uint8Array {
  const text = new TextEncoder().encode(`${header}\n`);
  const length =
    version === 1 ? [text.length & 0xff, text.length >> 8] : [text.length & 0xff, text.length >> 8, 0, 0];
  return new Uint8Array([0x93, ...new TextEncoder().encode("NUMPY"), version, 0, ...length, ...text, ...raw]);
}

const numbers = (file: Uint8Array) => {
  const array = readNpy(file);
  const values = decode(array.datatype, array.raw);
  return Array.from({ length: values.length }, (_, i) => values.at(i));
};

it("goes both ways", () => {
  const array = { datatype: "FP32", shape: [2, 3], raw: encode("FP32", [1, 2, 3, 4, 5, 6]) };
  const file = writeNpy(array);
  expect(file.length % 64).toBe(24); // header to a multiple of 64, then 24 bytes of values
  expect(readNpy(file)).toEqual(array);
  expect(
    readNpy(writeNpy({ datatype: "BOOL", shape: [2], raw: encode("BOOL", [true, false]) })).shape,
  ).toEqual([2]);
});

it("reads versions 2, scalars, big-endian and column-major files", () => {
  const be = new Uint8Array([0, 1, 0, 2]);
  expect(numbers(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", be, 2))).toEqual([1, 2]);
  expect(
    readNpy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", encode("FP64", [4]))).shape,
  ).toEqual([]);
  const columns = encode("UINT8", [1, 4, 2, 5, 3, 6]);
  expect(numbers(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", columns))).toEqual([
    1, 2, 3, 4, 5, 6,
  ]);
});

describe("refusals", () => {
  it.each<[string, Uint8Array, string]>([
    ["other files", new Uint8Array(64), "not a .npy file"],
    [
      "a cut header",
      npy("{'descr': '<f4', 'shape': (1,)}", new Uint8Array()).subarray(0, 20),
      "ends inside its header",
    ],
    [
      "cut values",
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", new Uint8Array(4)),
      "cut short: 8 bytes",
    ],
    [
      "objects",
      npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", new Uint8Array(4)),
      "Triton has no data type",
    ],
    [
      "text",
      npy("{'descr': '<U5', 'fortran_order': False, 'shape': (2,), }", new Uint8Array(4)),
      "Triton has no data type",
    ],
    ["no shape", npy("{'descr': '<f4'}", new Uint8Array(4)), "has no shape"],
  ])("%s", (_, file, message) => expect(() => readNpy(file)).toThrow(message));
  it("types that NumPy lacks", () =>
    expect(() => writeNpy({ datatype: "BF16", shape: [0], raw: new Uint8Array() })).toThrow(
      "no type for BF16",
    ));
});
