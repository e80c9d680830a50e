import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { DescribeConversionResponseSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { closeDialog, openDialog } from "../../window/dialogs";
import { tellRenamed } from "../../workspace/renamed";
import { button, findButton, press, showDialog, tick } from "./shown";

const described = (...versions: bigint[]) => ({
  versions: versions.map((version) => ({ version })),
  usual: versions.at(-1) ?? 0n,
  installed: true,
});

async function open(model: string) {
  await act(async () => openDialog("convert", model));
  await vi.waitFor(() => button("Convert and compare"));
}

const area = () => document.querySelector("textarea");
const version = () => document.querySelector("select")?.value;

const write = (text: string) => act(async () => enter(area(), text));
let unmount = async () => {};
beforeEach(async () => {
  const root = await showDialog(described(1n, 2n));
  unmount = () => act(async () => root.unmount());
});
afterEach(async () => {
  await act(async () => closeDialog());
  await unmount();
  vi.restoreAllMocks();
});

test("what was chosen and written for a model is there again when the dialog is", async () => {
  await open("one");
  await press("INT8");
  await tick("Written here");
  await write("[1]");
  await act(async () => closeDialog());
  await open("two");
  expect([area(), button("INT8").ariaChecked]).toEqual([null, "false"]);
  await open("one");
  expect([area()?.value, button("INT8").ariaChecked]).toEqual(["[1]", "true"]);
});

test("it goes with a model that gets another name", async () => {
  await open("first name");
  await press("INT8");
  await act(async () => closeDialog());
  tellRenamed("first name", "second name");
  await open("second name");
  expect(button("INT8").ariaChecked).toBe("true");
  await open("first name");
  expect(button("INT8").ariaChecked).toBe("false");
});

test("Start over forgets it, and can be taken back", async () => {
  await open("three");
  expect(findButton("Start over")).toBeUndefined();
  await tick("Written here");
  await write("[3]");
  button("Start over").focus();
  await press("Start over");
  expect([area(), document.activeElement?.textContent]).toEqual([null, "Bring it back"]);
  await press("Bring it back");
  expect([area()?.value, document.activeElement?.textContent]).toEqual(["[3]", "Start over"]);
  await press("Start over");
  await press("INT8"); // what is chosen now is not replaced by what was
  expect([findButton("Bring it back"), button("Start over").textContent]).toEqual([undefined, "Start over"]);
});

test("a version that was chosen and is gone is not asked for", async () => {
  await open("four");
  await act(async () => enter(document.querySelector("select"), "1"));
  expect(version()).toBe("1");
  await act(async () => closeDialog());
  vi.spyOn(clients.conversions, "describeConversion").mockResolvedValue(
    create(DescribeConversionResponseSchema, described(2n, 3n)),
  );
  const convert = vi.spyOn(clients.conversions, "convert").mockImplementation(async function* () {});
  await open("four");
  expect(version()).toBe("3");
  await press("Convert and compare");
  await vi.waitFor(() => expect(convert.mock.lastCall?.[0].version).toBe(0n));
});

test("of two files of requests the one that was chosen last counts, and what is typed meanwhile stays", async () => {
  await open("files");
  await tick("Written here");
  const choose = (name: string) => {
    let read = (_: string) => {};
    const file = new File([], name);
    file.text = () => new Promise((resolve) => (read = resolve));
    const field = document.querySelector<HTMLInputElement>("input[type=file]") ?? expect.fail("no field");
    Object.defineProperty(field, "files", { value: [file], configurable: true });
    Object.defineProperty(field, "value", { value: "", writable: true, configurable: true });
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return (json: string) => act(async () => read(json));
  };
  const [large, small] = [choose("large.json"), choose("small.json")];
  await small("[2]");
  await large("[1]");
  expect(area()?.value).toBe("[2]");
  const slow = choose("slow.json");
  await write("[3]");
  await slow("[4]");
  expect(area()?.value).toBe("[3]");
});
