import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decode, type Element, encode } from "../../lib/tensor";
import { enter } from "../../testing/typing";
import { type Grid, type Tensor, wholeBytes } from "./source";
import { TensorView } from "./TensorView";

const page = document.body.appendChild(document.createElement("div"));
let root: Root;

beforeEach(() => {
  root = createRoot(page);
});
afterEach(async () => {
  await act(async () => root.unmount());
});

const here = (datatype: string, shape: number[], values: Element[]): Tensor => ({
  name: "x",
  datatype,
  shape: shape.map(BigInt),
  raw: encode(datatype, values),
  labels: [],
});
const view = (tensor: Tensor) => act(async () => root.render(<TensorView tensor={tensor} />));
const cells = () => [...page.querySelectorAll("td")].map((td) => td.textContent);
const button = (label: string) => page.querySelector<HTMLButtonElement>(`button[aria-label="${label}"]`);

test.each([
  [
    "FP32",
    [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0],
    ["NaN", "Infinity", "-Infinity", "-0"],
  ],
  ["FP64", [-0, 0.1, 1 / 3, 7], ["-0", "0.1", "0.333333", "7"]],
  ["FP16", [65504, 0.1, -0, 1], ["65504", "0.1", "-0", "1"]],
  ["BOOL", [true, false, true, true], ["true", "false", "true", "true"]],
])("%s values are shown as they are", async (datatype, values, shown) => {
  await view(here(datatype, [2, 2], values));
  expect(cells()).toEqual(shown);
});

test("bytes that are not UTF-8 are marked, and are not in quotes", async () => {
  await view(here("BYTES", [3], ["hello", new Uint8Array([0xff, 0xd8, 0x00]), ""]));
  expect(cells().filter(Boolean)).toEqual(['"hello"', "not UTF-8\\xff\\xd8\\x00", '""']);
});

test("of bytes that are not UTF-8, what is text is read as text, and a long one is whole", async () => {
  const long = new Uint8Array([...new TextEncoder().encode(`{"label": "${"cat ".repeat(60)}"}`), 0xff]);
  await view(here("BYTES", [1], [long]));
  expect(cells().filter(Boolean)).toEqual([`not UTF-8{"label": "${"cat ".repeat(60)}"}\\xff`]);
});

test("the facts of a picture are grouped as other figures", async () => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
  await view(
    here(
      "UINT8",
      [1, 40, 40],
      Array.from({ length: 1600 }, (_, i) => (i < 1500 ? 0 : 255)),
    ),
  );
  expect(page.textContent).toContain("zeros1,500 of 1,600");
});

test("texts are one below the other, short words beside each other", async () => {
  const rows = async (values: string[]) => {
    await view(here("BYTES", [values.length], values));
    return page.querySelectorAll("tbody tr").length;
  };
  expect(await rows(["the first line of a page", "the second", "the third", "the last"])).toBe(4);
  expect(await rows(["cat", "dog", "cow", "hen"])).toBe(1);
});

test("one value has no index beside it, several have", async () => {
  await view(here("INT32", [1, 1], [53569]));
  expect(page.querySelector("th")).toBeNull();
  expect(cells()).toEqual(["53569"]);
  await view(here("BYTES", [2], ["a long text of one element", "another"]));
  expect([...page.querySelectorAll("th")].map((th) => th.textContent)).toEqual(["[0]", "[1]"]);
});

test("an answer of another shape is shown whole", async () => {
  await view(here("INT32", [1, 3], [1, 2, 3]));
  await view(here("INT32", [2, 3], [1, 2, 3, 4, 5, 6]));
  expect(cells()).toEqual(["1", "2", "3", "4", "5", "6"]);
});

test("what looks like HTML is text", async () => {
  await view(here("BYTES", [1], ['<img src=x onerror="document.title=1"><b>x</b>']));
  expect(page.querySelector("td img, td b")).toBeNull();
  expect(cells()[0]).toContain("<img src=x onerror=");
});

test("a vector is shown whole where it has room", async () => {
  await view(
    here(
      "INT32",
      [1, 16],
      Array.from({ length: 16 }, (_, i) => i),
    ),
  );
  expect(cells().filter(Boolean)).toHaveLength(16);
  expect(page.textContent).not.toContain("The first");
});

test("an answer of four long numbers is in one line: it needs no room for the index of a second", async () => {
  await view(here("FP32", [1, 4], [0.0012345, 0.0023456, 0.0034567, 0.0045678]));
  expect(cells()).toEqual(["0.0012345", "0.0023456", "0.0034567", "0.0045678"]);
  expect(page.querySelectorAll("tbody tr")).toHaveLength(1);
  await view(here("FP32", [1, 5], [0.0012345, 0.0023456, 0.0034567, 0.0045678, 0.0056789]));
  expect(page.querySelectorAll("tbody tr")).toHaveLength(2);
});

test("an answer with one long number is in one line where all of it has room: the others are short", async () => {
  await view(here("FP32", [1, 8], [Number.NEGATIVE_INFINITY, 0, 1, 2, 3, 4, 5, 6]));
  expect(page.querySelectorAll("tbody tr")).toHaveLength(1);
  await view(here("FP32", [1, 8], Array(8).fill(Number.NEGATIVE_INFINITY)));
  expect(page.querySelectorAll("tbody tr")).toHaveLength(4);
});

test("an empty tensor says which axis is empty", async () => {
  await view(here("FP32", [1, 0, 4], []));
  expect(page.textContent).toContain("No elements: dimension 2 has size 0.");
});

const million = 10_000_000;

/** A tensor whose elements are their own places; it counts what is read of it. */
function far(shape: number[]) {
  const read = vi.fn(async ({ start, rows, rowStride, columns, columnStride }: Grid) => {
    const places: number[] = [];
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) {
        const place = start + r * rowStride + c * columnStride;
        if (place < million) places.push(place);
      }
    return { raw: encode("INT32", places), sizes: [] };
  });
  const tensor: Tensor = {
    name: "x",
    datatype: "INT32",
    shape: shape.map(BigInt),
    raw: new Uint8Array(),
    labels: [],
    far: { count: million, read },
  };
  return { tensor, read };
}

const type = (text: string) =>
  act(async () => {
    const input = page.querySelector<HTMLInputElement>(
      "input[aria-label='Slice or index']",
    ) as HTMLInputElement;
    enter(input, text);
    input.form?.requestSubmit();
  });

test("ten million elements are read page by page, and an index is gone to", async () => {
  HTMLElement.prototype.scrollIntoView = vi.fn();
  const { tensor, read } = far([10, 1000, 1000]);
  await view(tensor);
  expect(cells().slice(0, 2)).toEqual(["0", "1"]);
  expect(page.textContent).toContain("rows 1 to 64 of 10,000");
  await act(async () => button("The next rows")?.click());
  expect(cells()[0]).toBe("64000");
  expect(page.textContent).toContain("rows 65 to 128 of 10,000");
  expect(page.querySelector("tbody th")?.textContent).toBe("[0, 64]");
  await type("[3, 20, 117]");
  expect(page.querySelector("td[data-found=true]")?.textContent).toBe("3020117");
  await type("[:, 7, 0:4]");
  expect(cells().slice(0, 5)).toEqual(["7000", "7001", "7002", "7003", "1007000"]);
  await type("[:, 0:2, 0:4]");
  expect(page.querySelector("[role=alert]")?.textContent).toContain("A table has rows and columns");
  const looked = read.mock.calls.reduce((sum, [{ rows, columns }]) => sum + rows * columns, 0);
  expect(looked).toBeLessThan(20_000);
});

test("another page begins at its first row", async () => {
  HTMLElement.prototype.scrollIntoView = vi.fn();
  const scrollTo = vi.fn();
  HTMLElement.prototype.scrollTo = scrollTo;
  const { tensor } = far([5000, 2000]);
  await view(tensor);
  await type("[17, 400]");
  scrollTo.mockClear();
  await type("[:, :]");
  await act(async () => button("The next rows")?.click());
  expect(scrollTo).toHaveBeenLastCalledWith(0, 0);
});

test("items are counted from 1, as files are, and large numbers are grouped", async () => {
  const values = Array.from({ length: 10_000 }, (_, i) => i);
  await view({ ...here("FP32", [5000, 2], values), labels: ["a", "b"] });
  const item = page.querySelector<HTMLInputElement>("input[aria-label=Item]");
  expect([item?.value, page.querySelector("[class*=picker]")?.textContent]).toEqual(["1", "Itemof 5,000"]);
  expect(page.querySelector("[class*=score]")?.textContent).toBe("1.000");
  await act(async () => item?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true })));
  expect([item?.value, page.querySelector("[class*=score]")?.textContent]).toEqual(["2", "3.00"]);
  const raw = [...page.querySelectorAll<HTMLElement>("[role=radio], button")].find(
    (b) => b.textContent === "Raw",
  );
  await act(async () => raw?.click());
  expect(page.textContent).toContain("The first 2,000 of 10,000 elements");
});

test("a long vector ends where its elements end", async () => {
  const { tensor } = far([1, million]);
  await view(tensor);
  await type(`[0, ${million - 1}]`);
  expect(page.querySelector("td[data-found=true]")?.textContent).toBe(String(million - 1));
  expect(button("The next elements")?.disabled).toBe(true);
});

test("a part that is no longer kept says so", async () => {
  const { tensor, read } = far([1, million]);
  read.mockRejectedValue(new Error("this tensor is no longer kept"));
  await view(tensor);
  expect(page.textContent).toContain("this tensor is no longer kept");
});

test("the whole of a large tensor is put together from parts", async () => {
  const { tensor, read } = far([million]);
  const values = decode("INT32", await wholeBytes(tensor));
  expect([values.length, values.at(0), values.at(million - 1), read.mock.calls.length]).toEqual([
    million,
    0,
    million - 1,
    5,
  ]);
});

test("a table that goes on to the right says which columns are in sight, and fades at its edge", async () => {
  const width = 50;
  vi.spyOn(HTMLElement.prototype, "scrollWidth", "get").mockReturnValue(17 * width);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(8 * width);
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(width);
  vi.spyOn(HTMLElement.prototype, "offsetLeft", "get").mockImplementation(function (this: HTMLElement) {
    return width * [...(this.parentElement?.children ?? [])].indexOf(this);
  });
  await view(
    here(
      "FP32",
      [3, 16],
      Array.from({ length: 48 }, (_, i) => i),
    ),
  );
  expect(page.textContent).toContain("Columns [0] to [6] of 16 are in sight");
  expect(page.querySelector("[data-more=true]")).not.toBeNull();
  const box = page.querySelector("section[aria-label='Values of x']") as HTMLElement;
  await act(async () => {
    box.scrollLeft = 9 * width;
    box.dispatchEvent(new Event("scroll"));
  });
  expect(page.textContent).toContain("Columns [9] to [15] of 16 are in sight");
  expect(page.querySelector("[data-more=true]")).toBeNull();
  const wide = Array.from({ length: 4000 }, (_, i) => i);
  await view(here("FP32", [2, 2000], wide));
  expect(page.textContent).toContain(" of 2,000 are in sight");
  vi.restoreAllMocks();
  await view(here("FP32", [1, 4], [1, 2, 3, 4]));
  expect(page.textContent).not.toContain("in sight");
});

test("a vector in one line has no empty head before it", async () => {
  await view(here("FP32", [1, 4], [1, 2, 3, 4]));
  expect([...page.querySelectorAll("th")].map((th) => th.textContent)).toEqual(["[0]", "[1]", "[2]", "[3]"]);
  await view(here("FP32", [2, 2], [1, 2, 3, 4]));
  expect([...page.querySelectorAll("th")].map((th) => th.textContent)).toEqual([
    "Index",
    "[0]",
    "[1]",
    "[0]",
    "[1]",
  ]);
});
