import { expect, it } from "vitest";
import { boardSize, fitInk } from "./board";

it.each([
  ["a digit", [28, 28], [28, 28]],
  ["a digit that is too coarse to draw", [8, 8], [28, 28]],
  ["a line of text", [800, 32], [800, 32]],
  ["the widest line that is drawn pixel by pixel", [1024, 48], [1024, 48]],
  ["a longer line, whose short side can still be written in", [4000, 32], [3500, 28]],
  ["a line of few rows", [1000, 4], [4096, 16]],
  ["a column", [32, 800], [32, 800]],
  ["a page", [640, 480], [640, 480]],
  ["a large page", [1024, 1024], [554, 554]],
])("the board of %s, %j, has %j cells", (_, [width = 0, height = 0], cells) => {
  const board = boardSize({ width, height });
  expect([board.width, board.height]).toEqual(cells);
});

it("brings ink to another board whole, with its proportions", () => {
  const ink = Uint8Array.from([0, 255, 0, 255]);
  const two = { width: 2, height: 2 };
  expect([...fitInk(ink, two, two)]).toEqual([...ink]);
  expect([...fitInk(ink, two, { width: 4, height: 2 })]).toEqual([0, 0, 255, 0, 0, 0, 255, 0]);
});
