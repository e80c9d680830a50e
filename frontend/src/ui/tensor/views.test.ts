import { describe, expect, it } from "vitest";
import { encode } from "../../lib/tensor";
import { type Shown, show } from "./source";
import { viewsOf } from "./views";

function shown(datatype: string, shape: number[], values: (number | string)[], labels: string[] = []): Shown {
  return show({ name: "x", datatype, shape: shape.map(BigInt), labels, raw: encode(datatype, values) });
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
    ["a vector", shown("FP32", [1, 64], zeros(64)), ["table", "image", "classes", "raw"]],
    ["a vector of bytes", shown("UINT8", [784], zeros(784)), ["table", "image", "raw"]],
    ["a vector with labels", shown("FP32", [1, 64], zeros(64), ["a"]), ["classes", "table", "image", "raw"]],
    ["a grey picture", shown("FP32", [1, 8, 8], zeros(64)), ["image", "table", "raw"]],
    ["a matrix whose rows have a square number", shown("INT32", [10, 100], zeros(1000)), ["table", "raw"]],
    ["a matrix of features", shown("INT32", [12, 76], zeros(912)), ["table", "image", "raw"]],
    ["a wide picture of bytes", shown("UINT8", [8, 32], zeros(256)), ["image", "table", "raw"]],
    ["a wide picture in colours", shown("FP32", [3, 8, 32], zeros(768)), ["image", "table", "raw"]],
    ["a picture with alpha", shown("UINT8", [16, 16, 4], zeros(1024)), ["image", "table", "raw"]],
    ["features of four channels", shown("FP32", [1, 4, 16, 16], zeros(1024)), ["table", "image", "raw"]],
    ["a scalar", shown("FP32", [], [1]), ["table", "raw"]],
  ])("%s", (_, tensor, views) => expect(viewsOf(tensor)).toEqual(views));
});
