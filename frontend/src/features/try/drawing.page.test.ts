import { expect, it } from "vitest";
import type { Drawing } from "../../requests/tryDrafts";
import { createBoard, type Pen, stroke } from "./drawing";

const at = (ink: Uint8Array, x: number, y: number) => ink[y * 28 + x] as number;

it("leaves ink along a line and nowhere else", () => {
  const ink = new Uint8Array(784);
  stroke(ink, 28, { x: 5, y: 14 }, { x: 22, y: 14 }, false);
  for (let x = 5; x < 22; x++) expect(at(ink, x, 14)).toBeGreaterThan(200);
  expect(at(ink, 14, 5)).toBe(0);
});

it("takes ink away again, and stays on the page", () => {
  const ink = new Uint8Array(784).fill(255);
  stroke(ink, 28, { x: 0, y: 0 }, { x: 30, y: 30 }, true);
  expect(at(ink, 10, 10)).toBe(0);
  expect(at(ink, 27, 0)).toBe(255);
});

it("is drawn on with keys alone: Space puts the pen down, arrows move it, never off the page", () => {
  const drawn: Drawing[] = [];
  const pens: Pen[] = [];
  const board = createBoard(document.createElement("canvas"), {
    width: 28,
    height: 28,
    onDrawn: (drawing) => drawn.push(drawing),
    onPen: (pen) => pens.push(pen),
  });
  const press = (key: string, init = {}) => board.press(new KeyboardEvent("keydown", { key, ...init }));
  for (let i = 0; i < 40; i++) expect(press("ArrowUp")).toBe(true);
  expect(drawn).toEqual([]);
  expect(pens.at(-1)).toEqual({ x: 14, y: 0.5, down: false });
  press(" ");
  for (let i = 0; i < 10; i++) press("ArrowDown");
  press(" ");
  press("ArrowRight");
  const ink = drawn.at(-1)?.ink as Uint8Array;
  for (let y = 1; y < 10; y++) expect(at(ink, 14, y)).toBeGreaterThan(150);
  expect(at(ink, 18, 5)).toBe(0);
  expect(pens.at(-1)).toMatchObject({ x: 15, down: false });
  expect([press("a"), press("ArrowUp", { ctrlKey: true })]).toEqual([false, false]);
});

it("goes on with a drawing of another size, and never with a page that only looks empty", () => {
  const drawn: Drawing[] = [];
  const board = createBoard(document.createElement("canvas"), {
    width: 56,
    height: 28,
    onDrawn: (drawing) => drawn.push(drawing),
    onPen: () => {},
  });
  board.show({ width: 28, height: 28, ink: new Uint8Array(784).fill(200) });
  for (const key of [" ", "ArrowUp"]) board.press(new KeyboardEvent("keydown", { key }));
  const ink = drawn.at(-1)?.ink as Uint8Array;
  expect([ink[27 * 56 + 13], ink[27 * 56 + 14], ink[27 * 56 + 41], ink[27 * 56 + 42]]).toEqual([
    0, 200, 200, 0,
  ]);
});
