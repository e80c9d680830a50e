import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TracedTensorSchema } from "../../api/conch_pb";
import { tracedOn } from "./traced";

const traced = (path: number[], output: boolean, name: string) =>
  create(TracedTensorSchema, { path, output, tensor: { name } });

const tensors = [
  traced([], false, "IMAGE"),
  traced([0], false, "image"),
  traced([0], true, "prepared"),
  traced([1], true, "prepared"),
  traced([0, 0], true, "deep"),
];

test("an edge carries what its step gave", () => {
  expect(tracedOn(tensors, { source: "step:1", sourcePort: "prepared" })).toBe(tensors[3]);
  expect(tracedOn(tensors, { source: "step:0", sourcePort: "deep" })).toBeUndefined();
});

test("an edge from an input carries what the request brought", () =>
  expect(tracedOn(tensors, { source: "input:IMAGE", sourcePort: "IMAGE" })).toBe(tensors[0]));
