import { act, useState } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { buildInput } from "../../requests/building";
import { fitDraft, type InputDraft, newDraft, type Slot } from "../../requests/tryDrafts";
import { FileInput } from "./FileInput";
import { Verdict } from "./Verdict";

let root: Root;
let slot: Slot;
let draft: InputDraft;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  root = createRoot(document.body.appendChild(document.createElement("div")));
});

afterEach(() => act(async () => root.unmount()));

function Input({ first }: { readonly first: Slot }) {
  const [state, setState] = useState({
    slot: first,
    draft: { ...newDraft(first), source: "file" } as InputDraft,
  });
  slot = state.slot;
  draft = fitDraft(slot, state.draft);
  const props = {
    slot,
    draft,
    onChange: (patch: Partial<InputDraft>, batch = slot.batch) =>
      setState({ slot: { ...slot, batch }, draft: { ...draft, ...patch } }),
  };
  return (
    <>
      <FileInput {...props} />
      <Verdict {...props} insisted={false} />
    </>
  );
}

const bytes: Slot = { spec: { name: "x", datatype: "BYTES", shape: [-1n, 1n] }, place: 0, batch: 1 };

/** Drops files on the box, and waits until they are read. */
async function drop(...files: File[]) {
  const box = document.querySelector("[data-over]");
  const event = new Event("drop", { bubbles: true, cancelable: true });
  Object.defineProperty(event, "dataTransfer", { value: { files } });
  await act(async () => box?.dispatchEvent(event));
  const said = () => files.every(({ name }) => document.body.textContent?.includes(name));
  await vi.waitFor(() => act(async () => expect(said()).toBe(true)));
}

const jpeg = new File([new Uint8Array([0xff, 0xd8, 0xff])], "cat.jpg", { type: "image/jpeg" });
const note = new File(["hi"], "note.txt", { type: "text/plain" });
const sent = () => [...(buildInput(slot, draft).data.value as Uint8Array)];

test("any file that is dropped is one element of BYTES, as it is", async () => {
  await act(async () => root.render(<Input first={bytes} />));
  await drop(jpeg);
  expect(sent()).toEqual([3, 0, 0, 0, 0xff, 0xd8, 0xff]);
  await drop(note);
  expect(sent()).toEqual([2, 0, 0, 0, 104, 105]);
});

test("several files fill the batch, and leave it one by one", async () => {
  await act(async () => root.render(<Input first={bytes} />));
  await drop(jpeg, note);
  expect(slot.batch).toBe(2);
  expect(draft.shape).toEqual([2, 1]);
  expect(sent()).toEqual([3, 0, 0, 0, 0xff, 0xd8, 0xff, 2, 0, 0, 0, 104, 105]);
  await act(async () => document.querySelector<HTMLButtonElement>("[aria-label='Remove cat.jpg']")?.click());
  expect(document.querySelector("[role=alert]")?.textContent).toBe("1 file for a batch of 2");
});

test("what is dropped joins the files of a batch that is not full", async () => {
  await act(async () => root.render(<Input first={{ ...bytes, batch: 2 }} />));
  await drop(jpeg);
  expect(document.querySelector("[role=alert]")?.textContent).toBe("1 file for a batch of 2");
  await drop(note);
  expect(draft.files?.map(({ name }) => name)).toEqual(["cat.jpg", "note.txt"]);
  expect(document.querySelector("[role=alert]")).toBeNull();
});

test("a file that cannot be read is named, with the reason", async () => {
  await act(async () =>
    root.render(<Input first={{ ...bytes, spec: { ...bytes.spec, datatype: "FP32" } }} />),
  );
  await drop(new File([new Uint8Array([0x93, 1])], "broken.npy"));
  expect(document.querySelector("[role=alert]")?.textContent).toMatch(/^broken.npy: This is not a .npy file/);
});
