/** Drawing with mouse, finger, pen or keys on a canvas of a few pixels: a behaviour machine that React only mounts. */

import { fitInk } from "../../lib/board";
import type { Size } from "../../lib/image";
import type { Drawing } from "../../requests/tryDrafts";
import { drawingKeys, isPress, type PressLike } from "../../window/keys";

export type DrawingBoard = {
  show(drawing: Drawing | undefined): void;
  press(event: PressLike): boolean; // a key on the canvas; reports whether it means something here
  destroy(): void;
};

/** The pen that the keys move. While it is down it draws. */
export type Pen = { readonly x: number; readonly y: number; readonly down: boolean };

type Options = {
  readonly width: number;
  readonly height: number;
  readonly onDrawn: (drawing: Drawing) => void;
  readonly onPen: (pen: Pen) => void;
};

type Point = { readonly x: number; readonly y: number };

/** Begins to listen; `onDrawn` gets a new drawing at the end of each stroke. */
export function createBoard(canvas: HTMLCanvasElement, options: Options): DrawingBoard {
  const { width, height, onDrawn, onPen } = options;
  const size = { width, height };
  let ink = new Uint8Array(width * height);
  let last: Point | undefined;
  let pen: Pen = { x: width / 2, y: height / 2, down: false };
  const end = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    handle: (event: HTMLElementEventMap[K]) => void,
  ) => canvas.addEventListener(type, handle, { signal: end.signal });

  const at = (event: PointerEvent): Point => {
    const box = canvas.getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) / box.width) * width,
      y: ((event.clientY - box.top) / box.height) * height,
    };
  };
  const line = (from: Point, to: Point, erase: boolean) => {
    stroke(ink, width, from, to, erase);
    paintInk(canvas, ink, around(from, to, size));
  };
  const strokeTo = (point: Point, erase: boolean) => {
    line(last ?? point, point, erase);
    last = point;
  };

  canvas.width = width;
  canvas.height = height;
  on("pointerdown", (event) => {
    if (event.button === 1) return;
    event.preventDefault();
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    last = undefined;
    strokeTo(at(event), isErasing(event));
  });
  on("pointermove", (event) => {
    if (!last) return;
    // WebKitGTK has no getCoalescedEvents before 2.46: straight lines between events are close enough.
    strokeTo(at(event), isErasing(event));
  });
  const drawn = () => onDrawn({ width, height, ink: ink.slice() });
  const finish = () => {
    if (!last) return;
    last = undefined;
    drawn();
  };
  const press = (event: PressLike) => {
    const next = penAfter(event, pen, size);
    if (!next) return false;
    if (next.down) {
      line(pen, next, false);
      drawn();
    }
    pen = next;
    onPen(pen);
    return true;
  };
  on("pointerup", finish);
  on("pointercancel", finish);
  on("contextmenu", (event) => event.preventDefault());

  return {
    show: (drawing) => {
      if (last) return; // never under a moving pen
      ink = drawing ? fitInk(drawing.ink, drawing, size) : new Uint8Array(width * height);
      paintInk(canvas, ink, { left: 0, top: 0, right: width, bottom: height });
    },
    press,
    destroy: () => end.abort(),
  };
}

/** Where a key takes the pen: one step of a digit's stroke, never off the board. Undefined when it means something else. */
export function penAfter(event: PressLike, pen: Pen, { width, height }: Size): Pen | undefined {
  if (isPress(event, drawingKeys.ink)) return { ...pen, down: !pen.down };
  if (!isPress(event, drawingKeys.pen)) return undefined;
  const step = Math.max(1, Math.min(width, height) / 28);
  const within = (value: number, size: number) => Math.min(size - 0.5, Math.max(0.5, value));
  const [x, y] = directions[event.key] ?? [0, 0];
  return { ...pen, x: within(pen.x + x * step, width), y: within(pen.y + y * step, height) };
}

const directions: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The right button, the eraser of a pen, or Shift. */
function isErasing(event: PointerEvent): boolean {
  return (event.buttons & 2) !== 0 || (event.buttons & 32) !== 0 || event.shiftKey;
}

/** The pen is as thick, to the page, as a marker on a hand-written digit. */
const radiusOf = ({ width, height }: Size): number => Math.max(0.9, Math.min(width, height) / 20);
const eraser = 1.6; // pens

/** Lays soft round dots along a line, so close that they are one. */
export function stroke(ink: Uint8Array, width: number, from: Point, to: Point, erase: boolean): void {
  const radius = radiusOf({ width, height: ink.length / width });
  const apart = Math.max(0.5, radius / 4);
  const steps = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / apart));
  for (let i = 0; i <= steps; i++) {
    const center = { x: from.x + ((to.x - from.x) * i) / steps, y: from.y + ((to.y - from.y) * i) / steps };
    dot(ink, width, center, erase ? -radius * eraser : radius);
  }
}

type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** What a line may have changed. */
function around(from: Point, to: Point, size: Size): Box {
  const reach = radiusOf(size) * eraser + 2;
  return {
    left: Math.max(0, Math.floor(Math.min(from.x, to.x) - reach)),
    top: Math.max(0, Math.floor(Math.min(from.y, to.y) - reach)),
    right: Math.min(size.width, Math.ceil(Math.max(from.x, to.x) + reach)),
    bottom: Math.min(size.height, Math.ceil(Math.max(from.y, to.y) + reach)),
  };
}

/** One dot; a negative radius takes ink away. Its rim fades over one pixel. */
function dot(ink: Uint8Array, width: number, center: Point, radius: number): void {
  const size = Math.abs(radius);
  const height = ink.length / width;
  for (let y = Math.max(0, Math.floor(center.y - size - 1)); y < Math.min(height, center.y + size + 1); y++) {
    for (
      let x = Math.max(0, Math.floor(center.x - size - 1));
      x < Math.min(width, center.x + size + 1);
      x++
    ) {
      const cover = Math.min(1, Math.max(0, size + 0.5 - Math.hypot(x + 0.5 - center.x, y + 0.5 - center.y)));
      const index = y * width + x;
      const now = ink[index] as number;
      ink[index] =
        radius > 0 ? Math.max(now, Math.round(cover * 255)) : Math.min(now, Math.round((1 - cover) * 255));
    }
  }
}

/** Dark ink on nothing; the page brings the paper. What is sent is the opposite, ink bright. */
function paintInk(canvas: HTMLCanvasElement, ink: Uint8Array, { left, top, right, bottom }: Box): void {
  const context = canvas.getContext("2d");
  if (!context || right <= left || bottom <= top) return;
  const image = context.createImageData(right - left, bottom - top);
  let at = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++, at += 4)
      image.data.set([23, 28, 38, ink[y * canvas.width + x] as number], at);
  }
  context.putImageData(image, left, top);
}
