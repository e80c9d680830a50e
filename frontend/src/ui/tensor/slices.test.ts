import { describe, expect, it } from "vitest";
import { columnName, columnsOf, isTooDeep, layoutOf, page, placeOf, rowName, wholeTable } from "./layout";
import { everything, flatIndex, indexText, parseSlice, sliceText } from "./slices";

describe("a slice", () => {
  const shape = [5, 4, 30];
  it.each([
    ["", "[:, :, :]"],
    ["[2]", "[2, :, :]"],
    ["[0, :, 10:20]", "[0, :, 10:20]"],
    ["-1, 1:, :-5", "[4, 1:, :25]"],
    [":, :, 99:200", "[:, :, 30:]"],
  ])("%j is %s", (text, written) => expect(sliceText(parseSlice(text, shape), shape)).toBe(written));

  it.each([
    ["[0, 0, 0, 0]", "The tensor has 3 axes; 4 are written"],
    ["[5]", "[5] is outside dimension 1: its indices are [0] to [4]"],
    ["[a]", '"a" is not an index'],
    ["[1,,2]", '"" is not an index'],
  ])("%s is refused", (text, why) => expect(() => parseSlice(text, shape)).toThrow(why));

  it("knows where an element is", () => {
    expect(flatIndex([2, 3, 4], shape)).toBe(2 * 120 + 3 * 30 + 4);
    expect(indexText(334, shape)).toBe("[2, 3, 4]");
    expect(indexText(0, [])).toBe("[]");
  });
});

describe("a table", () => {
  it.each([
    [16, 6, 4],
    [16, 40, 16],
    [17, 6, 6],
    [10_000_000, 9, 8],
    [10_000_000, 3, 3],
    [1, 0, 1],
  ])("%i elements where %i have room are in %i columns", (count, fit, columns) =>
    expect(columnsOf(count, fit)).toBe(columns),
  );

  it("has the last axis across, and those before it down", () => {
    const whole = wholeTable([2, 3, 4], 9);
    expect(whole).toMatchObject({ rows: 6, columns: 4, rowStride: 4, columnStride: 1, wrapped: false });
    expect(rowName(whole, [2, 3, 4], 4)).toBe("[1, 1]");
    expect(placeOf(whole, 22)).toEqual({ row: 5, column: 2 });
  });

  it("begins at the place and index of its slice", () => {
    const shape = [5, 4, 30];
    const slice = layoutOf(shape, parseSlice("[:, 3, 10:20]", shape), 9);
    expect(slice).toMatchObject({ start: 100, rows: 5, columns: 10, rowStride: 120 });
    expect(rowName(slice, shape, 2)).toBe("[2, 3]");
    expect(columnName(slice, 1)).toBe("[11]");
    expect(page(slice, 2, 4, { rows: 64, columns: 3 })).toEqual({
      start: 100 + 240 + 4,
      rows: 3,
      rowStride: 120,
      columns: 3,
      columnStride: 1,
    });
  });

  it("writes a vector line by line, also one across the other axes", () => {
    const shape = [5, 4, 30];
    const line = layoutOf(shape, parseSlice("[:, 1, 2]", shape), 2);
    expect(line).toMatchObject({
      start: 32,
      rows: 3,
      columns: 2,
      rowStride: 240,
      columnStride: 120,
      count: 5,
      wrapped: true,
    });
    expect([rowName(line, shape, 1), columnName(line, 1)]).toEqual(["[2, 1, 2]", "+1"]);
    expect(wholeTable([1, 16], 20)).toMatchObject({ rows: 1, columns: 16 });
    expect(wholeTable([1, 0, 4], 20)).toMatchObject({ rows: 0, count: 0 });
    expect(wholeTable([], 20)).toMatchObject({ rows: 1, columns: 1, count: 1 });
  });

  it("has room for two axes", () => {
    const shape = [5, 4, 30];
    expect(isTooDeep(shape, everything(shape))).toBe(false); // the first two are one
    expect(isTooDeep(shape, parseSlice("[:, 0:2, 0:5]", shape))).toBe(true);
    expect(isTooDeep(shape, parseSlice("[1, 0:2, 0:5]", shape))).toBe(false);
  });
});
