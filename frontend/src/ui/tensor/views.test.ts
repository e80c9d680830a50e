import { describe, expect, it } from "vitest";
import { decode, encode } from "../../lib/tensor";
import { rowName, type Shown, slice, tableSize, viewsOf } from "./views";

function shown(datatype: string, shape: number[], values: (number | string)[], labels: string[] = []): Shown {
  return { datatype, shape, labels, values: decode(datatype, encode(datatype, values)) };
}
const zeros = (n: number) => new Array<number>(n).fill(0);

describe("views", () => {
  it.each<[string, Shown, string[]]>([
    ["labels", shown("FP32", [1, 3], [5, 1, 0], ["a", "b", "c"]), ["classes", "table", "raw"]],
    ["probabilities", shown("FP32", [1, 2], [0.25, 0.75]), ["classes", "table", "raw"]],
    ["plain floats", shown("FP32", [1, 2], [5, 9]), ["table", "classes", "raw"]],
    ["integers", shown("INT32", [1, 16], zeros(16)), ["table", "raw"]],
    ["text", shown("BYTES", [1, 2], ["a", "b"]), ["table", "raw"]],
    ["a picture", shown("UINT8", [1, 8, 8], zeros(64)), ["image", "table", "raw"]],
    ["digits", shown("FP32", [1, 64], zeros(64)), ["image", "table", "classes", "raw"]],
    ["a scalar", shown("FP32", [], [1]), ["table", "raw"]],
  ])("%s", (_, tensor, views) => expect(viewsOf(tensor)).toEqual(views));
});

it("slices a batch", () => expect(slice(decode("UINT8", new Uint8Array([1, 2, 3, 4])), 1, 2).at(0)).toBe(3));

it("lays a table out", () => {
  expect(tableSize([2, 3, 4], 24)).toEqual({ rows: 6, columns: 4 });
  expect(tableSize([], 1)).toEqual({ rows: 1, columns: 1 });
  expect(tableSize([0], 0)).toEqual({ rows: 0, columns: 0 });
  expect(rowName([2, 3, 4], 4)).toBe("1, 1");
  expect(rowName([4], 0)).toBe("");
});
