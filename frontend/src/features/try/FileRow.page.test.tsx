import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Size } from "../../lib/image";
import type { Picture } from "../../lib/picture";
import { fittedTo } from "../../requests/fileParts";
import { newDraft, type Slot, type TensorFile } from "../../requests/tryDrafts";
import { FileRow } from "./FileRow";

let root: Root;
beforeEach(() => {
  root = createRoot(document.body.appendChild(document.createElement("div")));
});
afterEach(() => act(() => root.unmount()));

const slotOf = (...shape: bigint[]): Slot => ({ spec: { name: "x", datatype: "UINT8", shape }, place: 0 });
const view = { width: 1, height: 1, data: new Uint8Array(4) };

function fileOf(name: string, own: Size, read: Size, converted: Picture["converted"]): TensorFile {
  return { kind: "picture", name, size: 4654, picture: { own, read, converted } };
}

async function show(slot: Slot, file: TensorFile) {
  const fresh = newDraft(slot);
  const draft = { ...fresh, files: [file], ...fittedTo(slot, fresh, [file]) };
  const row = <FileRow slot={slot} draft={draft} file={file} number={undefined} onRemove={() => {}} />;
  await act(async () => root.render(row));
  return draft.shape;
}

const shown = () => document.body.textContent ?? "";
const thumbnail = () => document.querySelector("canvas");
const made = async () => ({ raw: new Uint8Array(), view });

test("a picture that is read smaller than it is says its own size, and that it is scaled", async () => {
  const large = fileOf("large.png", { width: 6000, height: 6000 }, { width: 4096, height: 4096 }, made);
  expect(await show(slotOf(-1n, -1n, 3n), large)).toEqual([4096, 4096, 3]);
  expect(shown()).toContain("6000 × 6000, ");
  expect(shown()).toContain("Scaled to 4096 × 4096: a side has at most 4096 pixels here");
  await show(slotOf(32n, 32n, 3n), large);
  expect(shown()).toContain("6000 × 6000, ");
  expect(shown()).toContain("Scaled to 32 × 32");
});

test("the picture before is never shown beside the name of the next one", async () => {
  const size = { width: 32, height: 32 };
  const slot = slotOf(32n, 32n, 3n);
  await show(slot, fileOf("first.png", size, size, made));
  expect(thumbnail()).not.toBeNull();
  let finish = (): void => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await show(
    slot,
    fileOf("second.png", size, size, () => slow.then(made)),
  );
  expect(shown()).toContain("second.png");
  expect(thumbnail()).toBeNull();
  await act(async () => finish());
  expect(thumbnail()).not.toBeNull();
});

test("it is said what becomes of the transparent parts of a picture", async () => {
  const size = { width: 32, height: 32 };
  const file = fileOf("cutout.png", size, size, made) as TensorFile & { kind: "picture" };
  const cutout = { ...file, picture: { ...file.picture, transparent: true } };
  await show(slotOf(32n, 32n, 3n), cutout);
  expect(shown()).toContain("Transparent parts become white");
  await show(slotOf(32n, 32n, 4n), cutout);
  expect(shown()).toContain("RGBATransparency is kept, as alpha; colours of clear pixels are not");
});
