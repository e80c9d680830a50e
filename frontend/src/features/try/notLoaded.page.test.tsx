import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { EngineSchema, GetModelResponseSchema, ModelState } from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { NotLoaded } from "./NotLoaded";

const details = (size: bigint) =>
  create(GetModelResponseSchema, {
    summary: { name: "big", state: ModelState.UNLOADED, versions: [{ number: 1n }] },
    files: [{ path: "1/model.onnx", size }],
    asksFor: ["GPU"],
  });

async function shown(size: bigint, ...usedBytes: number[]): Promise<string> {
  const gpus = usedBytes.map((used, index) => ({ index, usedBytes: used, totalBytes: 80e9 }));
  useWorkspace.setState({ engine: create(EngineSchema, { gpus, freeBytes: 8_000_000_000n }) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<NotLoaded details={details(size)} />));
  const text = page.textContent ?? "";
  await act(async () => root.unmount());
  return text;
}

test("before a load the page tells where there is room, when that is a question", async () => {
  expect(await shown(5_000_000_000n, 79e9, 10e9)).toContain("Its files have 5.0 GB, room on GPU 1.");
  expect(await shown(5_000_000_000n, 79e9)).toContain("no room for it now: GPU 0 has 1.0 GB free.");
  expect(await shown(5_000n)).not.toContain("Its files");
  expect(await shown(9_000_000_000n)).toContain("no room for it now: processor has 8.0 GB free.");
});
