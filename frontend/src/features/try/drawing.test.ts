import { expect, it } from "vitest";
import { stroke } from "./drawing";

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
