import { expect, it } from "vitest";
import type { GetGraphResponse } from "../../api/conch_pb";
import { layered } from "./layered";
import { beforeOf, layoutOf, planOf, whole } from "./layout";
import { chainOf } from "./sample";
import { readableZoom } from "./sizes";
import { leastZoom, mapHeight, openingView, showsAll, thickness, wholeView } from "./viewport";

function arrange(drawn: GetGraphResponse) {
  const graph = whole(drawn);
  const { boxes, lines } = planOf(graph, beforeOf(undefined));
  return layoutOf(graph, layered(boxes, lines));
}

/** The room for a graph in a window of 1024 × 700. */
const narrow = { width: 390, height: 418 };

it.each([
  ["a window of 1024 × 700", narrow],
  ["one of 1280 × 800", { width: 594, height: 518 }],
  ["a large one", { width: 1200, height: 800 }],
])("opens two steps with all of them in sight in %s", (_, room) => {
  const layout = arrange(chainOf(2));
  expect(openingView(layout, room)).toEqual(wholeView(layout, room));
  expect(showsAll(layout, openingView(layout, room), room)).toBe(true);
});

it("opens at the inputs where names would be cut in the whole graph", () => {
  const graph = chainOf(3);
  for (const node of graph.nodes) if (node.id.startsWith("step:")) node.label = "a_model_of_a_long_name_v12";
  const layout = arrange(graph);
  const { x, y, zoom } = openingView(layout, narrow);
  expect(zoom).toBe(readableZoom);
  const input = layout.nodes.find(({ node }) => node.id === "input:IN");
  const [left = -1, top = -1] = [input?.position.x, input?.position.y];
  expect(left * zoom + x).toBeGreaterThan(0);
  expect((left + (input?.width ?? 0)) * zoom + x).toBeLessThan(narrow.width);
  expect(top * zoom + y).toBeGreaterThan(0);
  expect((top + (input?.height ?? 0)) * zoom + y).toBeLessThan(narrow.height - mapHeight);
  expect(showsAll(layout, { x, y, zoom }, narrow)).toBe(false); // so the small map is there
});

it.each([
  ["of one word", 5, "yolov8x640"],
  ["that two lines held", 5, "yolov8x640_int8"],
])(
  "opens five steps with names %s at their beginning, at a size at which they can be read",
  (_, count, name) => {
    const graph = chainOf(count);
    for (const node of graph.nodes) if (node.id.startsWith("step:")) node.label = name;
    const layout = arrange(graph);
    const room = { width: 594, height: 518 };
    const view = openingView(layout, room);
    expect(view.zoom).toBe(readableZoom);
    expect(view.x).toBeGreaterThan(0);
    expect(showsAll(layout, view, room)).toBe(false);
  },
);

it("draws lines at the smallest zoom as thick on the screen as near", () => {
  for (const zoom of [leastZoom, 0.26, 0.7, 1]) {
    expect(zoom * thickness(zoom)).toBeGreaterThan(0.9);
    expect(zoom * thickness(zoom)).toBeLessThan(1.1);
  }
});

it("never opens below a size at which names can be read", () => {
  const view = openingView(arrange(chainOf(200)), { width: 600, height: 400 });
  expect(view.zoom).toBeCloseTo(readableZoom);
  expect(12 * view.zoom).toBeGreaterThanOrEqual(10.99);
  expect(view.x).toBeGreaterThan(0);
});
