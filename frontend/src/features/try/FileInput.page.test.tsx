import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { GetModelResponseSchema, type InferInput, RepositorySchema } from "../../api/conch_pb";
import { buildRequest } from "../../requests/request";
import { getTry, patchTry, useTries } from "../../requests/tries";
import { useWorkspace } from "../../workspace/workspace";
import { RequestForm } from "./RequestForm";

let root: Root;
const shown = (datatype: string, dims: number[]) =>
  create(GetModelResponseSchema, {
    summary: { name: "m" },
    maxBatchSize: 8,
    inputs: [{ name: "x", datatype, dims: dims.map(BigInt), shape: [-1n, ...dims.map(BigInt)] }],
  });
let details = shown("BYTES", [1]);

async function show(datatype: string, dims: number[]) {
  details = shown(datatype, dims);
  await act(async () => root.render(<RequestForm model="m" details={details} />));
}

beforeEach(() => {
  root = createRoot(document.body.appendChild(document.createElement("div")));
});

afterEach(async () => {
  await act(async () => root.unmount());
  useTries.setState({ byModel: {} });
  useWorkspace.setState({ repository: undefined });
});

/** Drops files on the input. */
async function start(...files: File[]) {
  const event = new Event("drop", { bubbles: true, cancelable: true });
  Object.defineProperty(event, "dataTransfer", { value: { files, types: ["Files"] } });
  await act(async () => document.querySelector("[aria-label='Input x']")?.dispatchEvent(event));
}

/** Drops files on the input, and waits until they are read. */
async function drop(...files: File[]) {
  await start(...files);
  const read = () => files.every(({ name }) => document.body.textContent?.includes(name));
  await vi.waitFor(() => expect(read()).toBe(true));
}

const jpeg = new File([new Uint8Array([0xff, 0xd8, 0xff])], "cat.jpg", { type: "image/jpeg" });
const note = new File(["hi"], "note.txt", { type: "text/plain" });
const input = async () => (await buildRequest(details, getTry("m"))).inputs[0] as InferInput;
const sent = async () => [...((await input()).data.value as Uint8Array)];
const said = () => document.querySelector("[role=alert]")?.textContent;

test("any file that is dropped on an input of text is one element of BYTES, as it is", async () => {
  await show("BYTES", [1]);
  expect(document.querySelector("textarea")).not.toBeNull();
  await drop(jpeg);
  expect(await sent()).toEqual([3, 0, 0, 0, 0xff, 0xd8, 0xff]);
  await drop(note);
  expect(await sent()).toEqual([2, 0, 0, 0, 104, 105]);
});

test("several files fill the batch, and leave it one by one", async () => {
  await show("BYTES", [1]);
  await drop(jpeg, note);
  expect(getTry("m").batch).toBe(2);
  expect((await input()).shape).toEqual([2n, 1n]);
  expect(await sent()).toEqual([3, 0, 0, 0, 0xff, 0xd8, 0xff, 2, 0, 0, 0, 104, 105]);
  await act(async () => document.querySelector<HTMLButtonElement>("[aria-label='Remove cat.jpg']")?.click());
  expect(said()).toBe("1 file for a batch of 2");
});

test("what is dropped joins the files of a batch that is not full", async () => {
  patchTry("m", { batch: 2 });
  await show("BYTES", [1]);
  await drop(jpeg);
  expect(said()).toBe("1 file for a batch of 2");
  await drop(note);
  expect(await sent()).toEqual([3, 0, 0, 0, 0xff, 0xd8, 0xff, 2, 0, 0, 0, 104, 105]);
  expect(said()).toBeUndefined();
});

test("of files that are dropped one after the other the last ones stay, also where the first are read slowly", async () => {
  await show("BYTES", [1]);
  let read = (_: ArrayBuffer): void => {};
  const slow = new File([""], "slow.bin");
  slow.arrayBuffer = () =>
    new Promise((resolve) => {
      read = resolve;
    });
  const put = vi.fn();
  const leave = useTries.subscribe(() => put(getTry("m").inputs.x?.files?.map(({ name }) => name)));
  await start(slow);
  await start(note);
  await act(async () => read(new ArrayBuffer(3)));
  await vi.waitFor(() =>
    expect(put.mock.calls.flat(2)).toEqual(expect.arrayContaining(["slow.bin", "note.txt"])),
  );
  expect(await sent()).toEqual([2, 0, 0, 0, 104, 105]);
  leave();
});

test("a file that was read late is put where it was chosen, whatever model or repository is shown by then", async () => {
  const late = async (name: string) => {
    let read = (_: ArrayBuffer): void => {};
    const slow = new File([""], name);
    slow.arrayBuffer = () =>
      new Promise((resolve) => {
        read = resolve;
      });
    await start(slow);
    return () => act(async () => read(new ArrayBuffer(3)));
  };
  const names = (model: string) => getTry(model).inputs.x?.files?.map(({ name }) => name);
  await show("BYTES", [1]);
  const first = await late("first.bin");
  await act(async () => root.render(<RequestForm model="other" details={details} />));
  await first();
  await vi.waitFor(() => expect([names("m"), names("other")]).toEqual([["first.bin"], undefined]));
  const put = vi.fn();
  const leave = useTries.subscribe(() => put(names("m")?.join()));
  await show("BYTES", [1]);
  const second = await late("second.bin");
  useWorkspace.setState({ repository: create(RepositorySchema, { id: "another" }) });
  await second();
  const third = await late("third.bin"); // is put after what was chosen before
  await third();
  await vi.waitFor(() => expect(put.mock.calls.flat()).toContain("third.bin"));
  expect(put.mock.calls.flat()).not.toContain("second.bin");
  leave();
});

test("a file that cannot be read is named, with the reason", async () => {
  await show("FP32", [4]);
  await drop(new File([new Uint8Array([0x93, 1])], "broken.npy"));
  expect(said()).toMatch(/^broken.npy: This is not a .npy file/);
  await act(async () =>
    patchTry("m", { inputs: { x: { source: "values", shape: [1, 4], values: "1", skip: false } } }),
  );
  expect(said()).toBe("FP32 [1, 4] takes 4 values; 1 was given"); // the file is not spoken of any more
});

test("a folder that is dropped is named, and says what to do", async () => {
  await show("FP32", [4]);
  const event = new Event("drop", { bubbles: true, cancelable: true });
  const items = [{ webkitGetAsEntry: () => ({ isDirectory: true, name: "photos" }) }];
  const files = [new File([], "photos")];
  Object.defineProperty(event, "dataTransfer", { value: { files, items, types: ["Files"] } });
  await act(async () => document.querySelector("[aria-label='Input x']")?.dispatchEvent(event));
  expect(said()).toBe("photos is a folder. An input takes files: open the folder, and drop the files in it");
});

test("numbers in a text are sent as values, as many rows as there are, and it is said what was read", async () => {
  await show("FP32", [3]);
  await drop(new File(["a,b,c\n1,2,3\n4,5,6.5\n"], "rows.csv", { type: "text/csv" }));
  expect(getTry("m").batch).toBe(2);
  expect(document.body.textContent).toContain(
    "2 rows of 3 numbers, read from its text; the first line has names and is left out, 20 B",
  );
  expect([...new Float32Array(new Uint8Array(await sent()).buffer)]).toEqual([1, 2, 3, 4, 5, 6.5]);
  await drop(new File(["1 2 3 4"], "four.txt", { type: "text/plain" }));
  expect(said()).toMatch(/^four.txt holds 4 numbers; each row of FP32 \[2, 3\] takes 3/);
  await drop(new File(["one"], "word.txt", { type: "text/plain" }));
  expect(said()).toMatch(/^word.txt: "one" is not a number \(line 1\)/);
});

test("a text of numbers that the type cannot hold is refused, and raw bytes stay bytes", async () => {
  await show("INT32", [2]);
  await drop(new File(["1 2.5"], "half.txt", { type: "text/plain" }));
  expect(said()).toMatch(/^half.txt: Value 2 is 2.5/);
  await drop(new File(["abcdefgh"], "eight.bin", { type: "text/plain" }));
  expect(await sent()).toEqual([..."abcdefgh"].map((letter) => letter.charCodeAt(0)));
});

test("a file that was refused keeps the request from being sent, until another one comes or the one before is kept", async () => {
  await show("FP32", [1]);
  await drop(new File([new Uint8Array(4)], "zero.bin"));
  await start(new File([new Uint8Array([0x93, 1])], "bad.npy"));
  await vi.waitFor(() => expect(said()).toMatch(/^bad.npy: This is not a .npy file/));
  expect(document.body.textContent).toContain("zero.bin");
  await expect(input()).rejects.toThrow('Input "x": bad.npy: This is not a .npy file');
  await act(async () => patchTry("m", { batch: 1 })); // something else on the form
  expect(said()).toMatch(/^bad.npy/);
  const keep = [...document.querySelectorAll("button")].find(
    ({ textContent }) => textContent === "Keep zero.bin",
  );
  await act(async () => keep?.click());
  expect([said(), await sent()]).toEqual([undefined, [0, 0, 0, 0]]);
  await start(new File([new Uint8Array([0x93, 1])], "bad.npy"));
  await vi.waitFor(() => expect(said()).toMatch(/^bad.npy/));
  await drop(new File([new Uint8Array(4)], "other.bin"));
  expect(said()).toBeUndefined();
});

test("what is said of a refused file comes into sight", async () => {
  const seen = vi.fn();
  Element.prototype.scrollIntoView = function (this: Element) {
    seen(this.textContent);
  };
  await show("FP32", [1]);
  expect(seen).not.toHaveBeenCalled();
  await start(new File([new Uint8Array([0x93, 1])], "bad.npy"));
  await vi.waitFor(() => expect(seen).toHaveBeenCalledWith(expect.stringMatching(/^bad.npy: /)));
  Reflect.deleteProperty(Element.prototype, "scrollIntoView");
});
