import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { InferResponseSchema } from "../api/conch_pb";
import { type Element, encode } from "../lib/tensor";
import { inOneLine, isText, joined } from "./streamed";

type Outputs = NonNullable<MessageInitShape<typeof InferResponseSchema>["outputs"]>;

const answer = (...outputs: Outputs) => create(InferResponseSchema, { ok: true, partial: true, outputs });

const output = (datatype: string, values: readonly Element[], name = "OUT") => ({
  name,
  datatype,
  shape: [BigInt(values.length)],
  raw: encode(datatype, values),
});

describe("an answer in one line", () => {
  it.each<[string, Outputs, string]>([
    ["a value", [output("FP32", [0.25])], "0.25"],
    ["a string", [output("BYTES", ["Hello\n"])], '"Hello\\n"'],
    ["bytes that are no text", [output("BYTES", [new Uint8Array([0xff, 0x41])])], "\\xffA"],
    ["many values", [output("INT32", [1, 2, 3, 4, 5])], "1, 2, 3, 4, …"],
    ["no values", [output("INT32", [])], "empty"],
    ["several outputs", [output("INT32", [1], "A"), output("BOOL", [true], "B")], "A 1 · B true"],
    ["no outputs", [], "no outputs"],
    ["a large one", [{ name: "A", datatype: "FP32", shape: [2n, 9n], source: 7n }], "FP32 [2, 9]"],
    ["a long string", [output("BYTES", ["x".repeat(200)])], `"${"x".repeat(79)}…`],
  ])("%s", (_what, outputs, text) => expect(inOneLine(answer(...outputs))).toBe(text));
});

describe("answers as one text", () => {
  const tokens = (...values: Element[]) => values.map((value) => answer(output("BYTES", [value])));

  it("are put together", () => {
    expect(isText(tokens("The", " cat"))).toBe(true);
    expect(joined(tokens("The", " cat", " sat"))).toBe("The cat sat");
  });

  it("may be cut within a character", () => {
    const cut = new TextEncoder().encode("né");
    expect(joined(tokens("ca", cut.subarray(0, 2), cut.subarray(2)))).toBe("cané");
  });

  it("leave out an answer that only ends the text", () => {
    expect(joined([...tokens("yes"), answer(output("BOOL", [true]))])).toBe("yes");
  });

  it("are none where the first has several strings or none", () => {
    expect(isText([answer(output("BYTES", ["a", "b"]))])).toBe(false);
    expect(isText([answer(output("INT32", [1]))])).toBe(false);
    expect(isText([])).toBe(false);
  });

  it("end where there is too much", () => {
    expect(joined(tokens("x".repeat(150_000), "y".repeat(150_000)))).toHaveLength(200_001);
  });
});
