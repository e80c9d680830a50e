import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { GraphNode_Kind, GraphNodeSchema } from "../../api/conch_pb";
import { farName, letters, nameSize, nearName, nodeSize } from "./sizes";
import { growth } from "./viewport";

const widthOf = (label: string) =>
  nodeSize(create(GraphNodeSchema, { kind: GraphNode_Kind.STEP, label })).width;

it.each([
  ["a short name", "yolov8x640"],
  ["one with spaces", "with two spaces"],
  ["one of forty characters", "a_model_with_a_name_of_forty_characters_x"],
  ["a wide one", "\u4e2d\u6587\u6a21\u578b\u7684\u540d\u5b57"],
])("writes %s large enough to be read, and within its box, in a graph that is seen from far", (_, name) => {
  const zoom = 0.26; // five steps in a window of 1280
  const room = { width: widthOf(name) - 18, lines: 2, most: nameSize * growth(zoom) };
  const { text, size } = farName(name, room);
  expect(size * zoom).toBeGreaterThanOrEqual(10.99);
  expect(letters(text) * 0.6 * size).toBeLessThanOrEqual(room.lines * room.width);
  expect(text.slice(0, 2)).toBe(name.slice(0, 2));
});

it("leaves the middle of a name out where it would end a line in a word", () => {
  const room = { width: widthOf("yolov8x640") - 18, lines: 2, most: nameSize * growth(0.26) };
  expect(farName("yolov8x640", room).text).toMatch(/^yo.*\u2026.*0$/);
  expect(
    letters(farName("yolov8x640", room).text) * 0.6 * farName("yolov8x640", room).size,
  ).toBeLessThanOrEqual(room.width);
  expect(farName("yolov8x640", { ...room, lines: 1 }).text).toMatch(/^yo.*\u2026.*0$/);
});

it("has room for the whole name and a time, also where letters are whole pixels wide, as in WebKit", () => {
  const around = 2 + 22 + 16 + 2 * 6; // border, padding, icon, gaps
  const time = 57; // 0.22 ms
  for (const name of ["yolov8x640", "customer_segme\u2026_v12_fp16_b"])
    expect(widthOf(name)).toBeGreaterThanOrEqual(around + 8 * name.length + time);
});

it("has room for wide letters, near", () => {
  const name = "\u4e2d\u6587\u6a21\u578b\u7684\u540d\u5b57\u5f88\u957f";
  expect(widthOf(name)).toBeGreaterThan(9 * 13 + 60);
  expect(nearName(name)).toBe(name);
});

it("breaks a name between its parts where two lines hold it", () => {
  const room = { width: 78, lines: 2, most: 10 };
  expect(farName("digits_prepare", room).text).toBe("digits_\nprepare");
  expect(farName("digitsxprepare", room).text).toBe("digitsx…epare");
  expect(farName("customer_segmentation_pipeline_v12", room).text).toBe("customer_seg…\npipeline_v12");
});
