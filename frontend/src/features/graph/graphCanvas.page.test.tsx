import { act, useState } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { GetGraphResponse } from "../../api/conch_pb";
import { type Canvas, GraphCanvas } from "./GraphCanvas";
import { chainOf } from "./sample";
import { select, useSelection } from "./selection";
import { mapHeight } from "./viewport";

const room = { width: 600, height: 400 };
const watches = new Map<ResizeObserver, (entries: ResizeObserverEntry[], watch: ResizeObserver) => void>();
const graph = chainOf(12, 3);
let page: HTMLElement;
let root: Root;
let canvas: Canvas | undefined;

function Program({ graph }: { readonly graph: GetGraphResponse }) {
  const [found] = useState<ReadonlySet<string>>(new Set(["step:3"]));
  const { id, open } = useSelection("chain");
  return (
    <>
      <GraphCanvas
        model="chain"
        graph={graph}
        found={found}
        onReady={(ready) => {
          canvas = ready;
        }}
      />
      <output>{`${id} ${open ? "open" : "closed"}`}</output>
    </>
  );
}

/** Tells those that watch sizes another one when the test says so. */
class Sizes implements ResizeObserver {
  constructor(private readonly tell: ResizeObserverCallback) {}
  observe(target: Element) {
    if (target.className.includes("canvas")) watches.set(this, this.tell);
  }
  unobserve() {}
  disconnect() {
    watches.delete(this);
  }
}

/** The pane becomes as wide as that. */
const widen = (width: number) =>
  act(async () => {
    const entry = { contentRect: new DOMRect(0, 0, width, room.height) } as ResizeObserverEntry;
    for (const [watch, tell] of watches) tell([entry], watch);
  });

beforeEach(async () => {
  vi.stubGlobal("ResizeObserver", Sizes);
  // jsdom lays nothing out: everything is as large as the room for the drawing.
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(
    new DOMRect(0, 0, room.width, room.height),
  );
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(room.width);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(room.height);
  select("chain", "", false);
  page = document.body.appendChild(document.createElement("div"));
  root = createRoot(page);
  await open(graph);
});

/** Opens a graph as for the first time. */
async function open(shown: GetGraphResponse) {
  canvas = undefined;
  await act(async () => root.render(<Program key={shown.nodes.length} graph={shown} />));
  await vi.waitFor(() => expect(canvas).toBeDefined());
}

afterEach(async () => {
  await act(async () => root.unmount());
  page.remove();
});

const one = (css: string) => page.querySelector(css) as HTMLElement;
const nodeOf = (id: string) => one(`.react-flow__node[data-id='${id}']`);
const edgeOf = (id: string) => one(`.react-flow__edge[data-id='${id}']`);
const chosen = () => one("output").textContent;
const map = () => one("svg[aria-label='Small map of the graph']");
const click = (target: Element) =>
  act(async () => void target.dispatchEvent(new MouseEvent("click", { bubbles: true })));
const press = (key: string) =>
  act(async () => {
    one(".react-flow").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });

/** How the drawing is moved and enlarged: x, y and zoom. */
function view(): number[] {
  const { transform } = one(".react-flow__viewport").style;
  return [...transform.matchAll(/-?[\d.]+/g)].map(Number);
}

test("a click chooses a step or a tensor and opens its detail, one on the ground closes it", async () => {
  expect(page.querySelectorAll(".react-flow__node").length).toBeLessThan(graph.nodes.length); // those in sight
  await click(nodeOf("step:0"));
  expect(chosen()).toBe("step:0 open");
  expect(nodeOf("step:0").className).toContain("selected");
  const before = view();
  await click(edgeOf("e1"));
  expect(view()).toEqual(before); // what is chosen neither moves the drawing nor makes it smaller
  expect(chosen()).toBe("e1 open");
  expect(edgeOf("e1").querySelector("[class*=halo]")).not.toBeNull();
  expect(nodeOf("step:0").className).not.toContain("selected");
  await click(one(".react-flow__pane"));
  expect(chosen()).toBe("e1 closed");
});

test("a broken tensor that is chosen stays broken to the eye, and what a search found is marked", async () => {
  await act(async () => canvas?.reveal("e3"));
  await click(edgeOf("e3"));
  const classes = [...edgeOf("e3").querySelectorAll("path")]
    .map((path) => path.getAttribute("class"))
    .join(" ");
  expect(classes).toMatch(/haloBroken/);
  expect(classes).toMatch(/edgeBroken/);
  expect(nodeOf("step:3").innerHTML).toMatch(/found/);
});

test("0 shows all of the graph, 1 shows it at 100 % from its beginning, also in another room", async () => {
  await press("0");
  const all = view();
  expect(all[2]).toBeLessThan(0.5);
  await press("1");
  expect(view()[2]).toBe(1);
  await widen(900);
  expect(view()[2]).toBe(1);
  await act(async () => canvas?.fit());
  expect(view()[2]).toBeGreaterThan(all[2] ?? 0); // the room is wider now
});

test("the arrow keys go along the edges, and the drawing follows; Enter opens the detail", async () => {
  for (const [key, id] of [
    ["ArrowRight", "input:IN"],
    ["ArrowRight", "e0"],
    ["ArrowRight", "step:0"],
    ["ArrowLeft", "e0"],
  ] as const) {
    await press(key);
    expect(chosen()).toBe(`${id} closed`);
  }
  await press("Enter");
  expect(chosen()).toBe("e0 open");
  const before = view();
  for (let i = 0; i < 24; i++) await press("ArrowRight");
  expect(chosen()).toBe("e12 open");
  expect(view()[0]).toBeLessThan((before[0] ?? 0) - room.width);
  expect(nodeOf("output:OUT")).not.toBeNull();
});

test("Fit shows all steps, and the small map is there while some are out of sight", async () => {
  expect(map()).not.toBeNull();
  const [, , zoom = 0] = view();
  await act(async () => canvas?.fit());
  expect(page.querySelectorAll(".react-flow__node")).toHaveLength(graph.nodes.length);
  expect(view()[2]).toBeLessThan(zoom);
  expect(map()).toBeNull();
});

test("Fit stays a fit in a pane of another size, until somebody moves or enlarges the drawing", async () => {
  await act(async () => canvas?.fit());
  const [, , first = 0] = view();
  await widen(900);
  const wide = view();
  expect(wide[2]).toBeGreaterThan(first);
  await click(nodeOf("step:2")); // which shows a detail beside the drawing
  await widen(500);
  expect(view()[2]).toBeLessThan(first);
  expect(map()).toBeNull();
  const turn = new WheelEvent("wheel", {
    deltaY: -200,
    clientX: 300,
    clientY: 200,
    bubbles: true,
    cancelable: true,
  });
  await act(async () => void one(".react-flow__pane").dispatchEvent(turn));
  const enlarged = view();
  expect(enlarged[2]).toBeGreaterThan(first);
  await widen(900);
  expect(view()).toEqual(enlarged);
});

test("a small ensemble opens with all in sight, and stays so in a pane of another size, until somebody moves the drawing", async () => {
  await open(chainOf(4));
  const runsDown = () => (one(".react-flow").parentElement as HTMLElement).className.includes("down");
  expect(runsDown()).toBe(true);
  expect(map()).toBeNull();
  expect(page.querySelectorAll(".react-flow__node")).toHaveLength(6);
  expect(nodeOf("step:3").textContent).toContain("stage_4");
  const first = view();
  await widen(400);
  expect(map()).toBeNull();
  await click(nodeOf("step:1")); // nothing moves
  await widen(600);
  expect(view()).toEqual(first);
  await press("ArrowDown"); // what is in sight is not moved
  expect(chosen()).toBe("e2 open");
  expect(view()).toEqual(first);
  await press("1"); // the ports and types
  expect(runsDown()).toBe(false);
  expect(view()[2]).toBe(1);
  expect(map()).not.toBeNull();
  await press("0");
  expect(runsDown()).toBe(true);
  expect(view()).toEqual(first);
  const turn = { deltaY: -200, clientX: 300, clientY: 200, bubbles: true, cancelable: true };
  await act(async () => void one(".react-flow__pane").dispatchEvent(new WheelEvent("wheel", turn)));
  const near = view();
  expect(near[2]).toBeGreaterThan(first[2] ?? 0);
  await widen(1900);
  expect(view()).toEqual(near);
  expect(runsDown()).toBe(true);
});

test("what is chosen stays in sight in a pane of another size, what was moved out of sight stays there", async () => {
  await act(async () => canvas?.reveal("step:5"));
  await click(nodeOf("step:5"));
  const inSight = (width: number) => {
    const [x = 0, , zoom = 1] = view();
    const [, left = 0] = nodeOf("step:5")?.style.transform.match(/translate\((-?[\d.]+)px/) ?? [];
    const begin = Number(left) * zoom + x;
    return begin >= 0 && begin + 100 * zoom <= width;
  };
  expect(inSight(room.width)).toBe(true);
  for (const width of [260, 900, 240]) {
    await widen(width);
    expect(inSight(width)).toBe(true);
  }
  await widen(room.width);
  await act(async () => canvas?.reveal("step:11"));
  const far = view();
  await widen(400);
  expect(view()).toEqual(far);
});

test("a press in the small map goes there", async () => {
  const before = view();
  await act(async () => {
    const event = new MouseEvent("pointerdown", {
      clientX: room.width - 5,
      clientY: mapHeight / 2,
      buttons: 1,
      bubbles: true,
    });
    map().dispatchEvent(event);
  });
  const [x = 0, , zoom] = view();
  expect(x).toBeLessThan((before[0] ?? 0) - room.width);
  expect(zoom).toBe(before[2]);
  expect(nodeOf("output:OUT")).not.toBeNull();
});
