import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { DescribeConversionResponseSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { closeDialog, openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { ConvertDialog } from "./ConvertDialog";

const described = (...versions: bigint[]) =>
  create(DescribeConversionResponseSchema, {
    versions: versions.map((version) => ({ version })),
    usual: versions.at(-1) ?? 0n,
    installed: true,
  });

async function open(model: string) {
  await act(async () => openDialog("convert", model));
  await vi.waitFor(() => expect(button("Convert and compare")).toBeDefined());
}

const button = (name: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name);
const box = (name: string) =>
  [...document.querySelectorAll("label")]
    .find(({ textContent }) => textContent === name)
    ?.querySelector("input");
const area = () => document.querySelector("textarea");
const version = () => document.querySelector("select")?.value;

const write = (text: string) => act(async () => enter(area(), text));
const press = (name: string) => act(async () => button(name)?.click());
const tick = (name: string) => act(async () => box(name)?.click());

let unmount = async () => {};
beforeEach(async () => {
  useWorkspace.setState({ connection: "live" });
  vi.spyOn(clients.conversions, "describeConversion").mockResolvedValue(described(1n, 2n));
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  unmount = () => act(async () => root.unmount());
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <ConvertDialog />
      </QueryClientProvider>,
    ),
  );
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
  expect([area(), button("INT8")?.ariaChecked]).toEqual([null, "false"]);
  await open("one");
  expect([area()?.value, button("INT8")?.ariaChecked]).toEqual(["[1]", "true"]);
});

test("Start over forgets it, and can be taken back", async () => {
  await open("three");
  expect(button("Start over")).toBeUndefined();
  await tick("Written here");
  await write("[3]");
  button("Start over")?.focus();
  await press("Start over");
  expect([area(), document.activeElement?.textContent]).toEqual([null, "Bring it back"]);
  await press("Bring it back");
  expect([area()?.value, document.activeElement?.textContent]).toEqual(["[3]", "Start over"]);
  await press("Start over");
  await press("INT8"); // what is chosen now is not replaced by what was
  expect([button("Bring it back"), button("Start over")?.textContent]).toEqual([undefined, "Start over"]);
});

test("a version that was chosen and is gone is not asked for", async () => {
  await open("four");
  await act(async () => enter(document.querySelector("select"), "1"));
  expect(version()).toBe("1");
  await act(async () => closeDialog());
  vi.spyOn(clients.conversions, "describeConversion").mockResolvedValue(described(2n, 3n));
  const convert = vi.spyOn(clients.conversions, "convert").mockImplementation(async function* () {});
  await open("four");
  expect(version()).toBe("3");
  await press("Convert and compare");
  await vi.waitFor(() => expect(convert.mock.lastCall?.[0].version).toBe(0n));
});
