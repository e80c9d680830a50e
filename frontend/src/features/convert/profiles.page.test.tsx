import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ConvertedTensorSchema, DescribeConversionResponseSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { useWorkspace } from "../../workspace/workspace";
import { Conversion } from "./Conversion";
import { keepChoice } from "./choices";

const here = create(DescribeConversionResponseSchema, {
  versions: [{ version: 1n, file: "model.onnx", bytes: 53_000n }],
  savedRequests: 3,
  installed: true,
  tensorrt: "10.3.0",
  inputs: [{ name: "image", datatype: "FP32", shape: [-1n, 64n], input: true }],
  maxBatchSize: 32,
  mostProfiles: 3,
});

const button = (name: string) => {
  const found = [...document.querySelectorAll("button")].find(
    (one) => one.getAttribute("aria-label") === name || one.textContent === name,
  );
  if (!found) throw new Error(`no button ${name}`);
  return found;
};
const click = (name: string) => act(async () => button(name).click());
const field = (name: string) => document.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`);
const fields = () =>
  [...document.querySelectorAll("input[aria-label^='Shapes of']")].map((one) =>
    one.getAttribute("aria-label"),
  );

const type = (name: string, text: string) => act(async () => enter(field(name), text));

let unmount = async () => {};
async function show(of = here) {
  keepChoice("digits", undefined);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  unmount = () => act(async () => root.unmount());
  await act(async () =>
    root.render(<Conversion model="digits" of={of} again={() => {}} onRuns={() => {}} />),
  );
  await click("TensorRT");
}
beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  useWorkspace.setState({ connection: "live" });
  await show();
});
afterEach(async () => {
  await unmount();
  vi.restoreAllMocks();
});

test("profiles come and go, and the focus goes with them", async () => {
  expect(fields()).toEqual(["Shapes of image"]);
  await type("Shapes of image", "1x64, 2x64, 4x64");
  await click("Add a profile");
  expect(fields()).toEqual(["Shapes of image in profile 0", "Shapes of image in profile 1"]);
  const second = field("Shapes of image in profile 1");
  expect(second?.value).toBe("1x64, 2x64, 4x64");
  expect(document.activeElement).toBe(second);
  await type("Shapes of image in profile 1", "5x64, 8x64, 16x64");
  await click("Add a profile");
  expect(button("Add a profile").disabled).toBe(true);
  expect(document.body.textContent).toContain("at most 3 profiles");
  await click("Remove profile 0");
  expect(field("Shapes of image in profile 0")?.value).toBe("5x64, 8x64, 16x64");
  expect(document.activeElement).toBe(field("Shapes of image in profile 0"));
  await click("Remove profile 1");
  expect(fields()).toEqual(["Shapes of image"]);
});

test("a wrong range stops the conversion, is told at its field, and gets the focus", async () => {
  const convert = vi.spyOn(clients.conversions, "convert").mockImplementation(async function* () {});
  await click("Add a profile");
  await type("Shapes of image in profile 1", "8x64, 1x64, 32x64");
  expect(field("Shapes of image in profile 1")?.getAttribute("aria-invalid")).toBe("false");
  button("Convert and compare").focus();
  await click("Convert and compare");
  const wrong = field("Shapes of image in profile 1");
  expect(convert).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(wrong);
  expect(wrong?.getAttribute("aria-invalid")).toBe("true");
  const about = document.getElementById(wrong?.getAttribute("aria-describedby") ?? "");
  expect(about?.textContent).toBe("Each size must be least ≤ best ≤ largest");
  await type("Shapes of image in profile 1", "33x64, 40x64, 64x64");
  expect(document.querySelector("[aria-invalid=true]")).toBeNull();
  await click("Convert and compare");
  await vi.waitFor(() => expect(convert).toHaveBeenCalled());
  expect(convert.mock.lastCall?.[0]).toMatchObject({
    target: "tensorrt",
    plan: { profiles: [{ ranges: [{ best: [8n, 64n] }] }, { ranges: [{ best: [40n, 64n] }] }] },
  });
});

test("lengths that nobody has typed are called a guess, and no batch of the config is", async () => {
  expect(document.body.textContent).not.toContain("a guess");
  await unmount();
  await show(
    create(DescribeConversionResponseSchema, {
      ...here,
      inputs: ["ids", "mask"].map((name) =>
        create(ConvertedTensorSchema, { name, datatype: "INT64", shape: [-1n, -1n], input: true }),
      ),
    }),
  );
  expect(field("Shapes of mask")?.value).toBe("1x1, 8x128, 32x512");
  expect(document.body.textContent).toContain("The shapes of ids, mask are a guess");
  await type("Shapes of ids", "1x1, 8x64, 32x256");
  expect(document.body.textContent).toContain("The shapes of mask are a guess");
});
