import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type GetModelResponse, GetModelResponseSchema } from "../../api/conch_pb";
import { misfit } from "./comparable";

test("why a model does not take a request", () => {
  const sent = [{ name: "image", datatype: "FP32", shape: [4n, 64n] }];
  const takes = (of: MessageInitShape<typeof GetModelResponseSchema>): GetModelResponse =>
    create(GetModelResponseSchema, {
      inputs: [{ name: "image", datatype: "FP32", shape: [-1n, 64n] }],
      maxBatchSize: 8,
      ...of,
    } as MessageInitShape<typeof GetModelResponseSchema>);
  expect(misfit(sent, takes({}))).toBe("");
  expect(misfit(sent, takes({ maxBatchSize: 2 }))).toBe("its largest batch is 2");
  expect(misfit(sent, takes({ inputs: [] }))).toBe("it has no input image");
  const other = (datatype: string, ...shape: bigint[]) =>
    takes({ inputs: [{ name: "image", datatype, shape }] });
  expect(misfit(sent, other("FP16", -1n, 64n))).toBe("its input image is FP16, not FP32");
  expect(misfit(sent, other("FP32", -1n, 32n))).toBe("its input image has the shape [-1, 32], not [4, 64]");
  expect(misfit(sent, other("FP32", 64n))).toContain("the shape [64]");
  const two = (optional: boolean) =>
    takes({
      inputs: [
        { name: "image", datatype: "FP32", shape: [-1n, -1n] },
        { name: "mask", datatype: "BOOL", shape: [-1n], optional },
      ],
    });
  expect(misfit(sent, two(false))).toBe("it needs the input mask too");
  expect(misfit(sent, two(true))).toBe("");
  expect(misfit(sent, takes({ decoupled: true }))).toContain("as many answers as it wants");
  expect(misfit(sent, takes({ sequenceBatching: true }))).toContain("it takes sequences");
});
