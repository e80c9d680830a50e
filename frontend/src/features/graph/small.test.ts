import { expect, it } from "vitest";
import type { GetGraphResponse } from "../../api/conch_pb";
import { layered } from "./layered";
import { beforeOf, layoutOf, planOf, whole } from "./layout";
import { chainOf } from "./sample";
import { readableZoom } from "./sizes";
import { readWhole, smallLayouts, turned, turnedArrow } from "./small";
import { fittingZoom, openingView, showsAll } from "./viewport";
import { stepTo } from "./walk";

/** The room for a graph in a window of 1280 × 800. */
const room = { width: 594, height: 511 };

/** The same room over the times of six steps. */
const low = { width: 594, height: 420 };

function named(count: number, name: string): GetGraphResponse {
  const graph = chainOf(count);
  for (const node of graph.nodes) if (node.id.startsWith("step:")) node.label = name;
  return graph;
}

function usual(drawn: GetGraphResponse) {
  const graph = whole(drawn);
  const { boxes, lines } = planOf(graph, beforeOf(undefined));
  return layoutOf(graph, layered(boxes, lines));
}

it.each([
  [4, "text_classifier_v12", room, "named"],
  [6, "yolov8x640", room, "named"],
  [6, "yolov8x640", low, "bare"],
] as const)(
  "shows all of %s steps at a size that can be read, from above down",
  (count, name, pane, down) => {
    const graph = named(count, name);
    const layout = readWhole([usual(graph), ...smallLayouts(graph)], pane);
    expect(layout.down).toBe(down);
    const view = openingView(layout, pane);
    expect(view.zoom).toBeGreaterThanOrEqual(readableZoom);
    expect(showsAll(layout, view, pane)).toBe(true);
    const tops = layout.nodes.map(({ position }) => position.y);
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    expect(layout.edges.filter(({ label }) => label)).toHaveLength(down === "named" ? count - 1 : 0);
  },
);

it("leaves a graph as it is that can be read as a whole, or not even so", () => {
  const two = usual(chainOf(1));
  expect(readWhole([two, ...smallLayouts(chainOf(1))], { width: 1200, height: 800 })).toBe(two);
  const ten = usual(chainOf(10));
  expect(readWhole([ten, ...smallLayouts(chainOf(10))], low)).toBe(ten);
  expect(smallLayouts(chainOf(200))).toEqual([]);
});

it("leaves a graph as it is that is a little too wide for the size of everything else", () => {
  const two = usual(chainOf(2));
  const pane = { width: 1200, height: 511 };
  while (fittingZoom(two, pane) > 0.85) pane.width -= 1;
  const layout = readWhole([two, ...smallLayouts(chainOf(2))], pane);
  expect(layout).toBe(two);
  expect(showsAll(layout, openingView(layout, pane), pane)).toBe(true);
});

it("is walked downwards", () => {
  const [layout] = smallLayouts(chainOf(2));
  if (!layout) throw new Error("there is no small drawing of two steps");
  const to = (id: string, arrow: keyof typeof turnedArrow) => stepTo(turned(layout), id, turnedArrow[arrow]);
  expect(to("step:0", "ArrowDown")).toBe("e1");
  expect(to("e1", "ArrowDown")).toBe("step:1");
  expect(to("step:1", "ArrowUp")).toBe("e1");
});
