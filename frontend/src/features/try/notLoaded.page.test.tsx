import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  DraftsSchema,
  EngineSchema,
  GetModelResponseSchema,
  ListRuntimesResponseSchema,
  ModelState,
} from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { NotLoaded } from "./NotLoaded";

const GiB = 1024 ** 3;

const details = (size: bigint) =>
  create(GetModelResponseSchema, {
    summary: { name: "big", state: ModelState.UNLOADED, versions: [{ number: 1n }] },
    files: [{ path: "1/model.onnx", size }],
    asksFor: ["GPU"],
  });

const list = vi.spyOn(clients.workspace, "listRuntimes");

async function shown(size: bigint, backend: string, ...usedBytes: number[]): Promise<string> {
  const gpus = usedBytes.map((used, index) => ({ index, usedBytes: used, totalBytes: 80 * GiB }));
  useWorkspace.setState({ engine: create(EngineSchema, { gpus, freeBytes: BigInt(8 * GiB) }) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <NotLoaded details={{ ...details(size), backend }} />
      </QueryClientProvider>,
    ),
  );
  await act(async () => new Promise((done) => setTimeout(done)));
  const text = page.textContent ?? "";
  await act(async () => root.unmount());
  return text;
}

test("before a load the page tells where there is room, when that is a question", async () => {
  expect(await shown(BigInt(5 * GiB), "python", 79 * GiB, 10 * GiB)).toContain(
    "Its files have 5.0 GiB, room on GPU 1.",
  );
  expect(await shown(BigInt(5 * GiB), "python", 79 * GiB)).toContain(
    "no room for it now: GPU 0 has 1.0 GiB free.",
  );
  expect(await shown(5_000n, "python")).not.toContain("Its files");
  expect(await shown(BigInt(9 * GiB), "python")).toContain("no room for it now: processor has 8.0 GiB free.");
  expect(list).not.toHaveBeenCalled();
});

test("an ONNX model is not said to go to a GPU that ONNX Runtime cannot use", async () => {
  const using = (providers: string[], ...lacking: string[]) =>
    list.mockResolvedValue(
      create(ListRuntimesResponseSchema, {
        here: [{ name: "mine", used: true, providers, missing: lacking.map((provider) => ({ provider })) }],
      }),
    );
  using(["CPU"]);
  expect(await shown(BigInt(5 * GiB), "onnxruntime", 79 * GiB)).toContain("room on processor.");
  using(["CUDA", "CPU"], "CUDA");
  expect(await shown(BigInt(5 * GiB), "onnxruntime", GiB)).toContain("room on processor.");
  using(["TensorRT", "CUDA", "CPU"], "TensorRT");
  expect(await shown(BigInt(5 * GiB), "onnxruntime", GiB)).toContain("room on GPU 0.");
});

test("a model that is edited and not saved says that a load reads the files", async () => {
  expect(await shown(5_000n, "python")).not.toContain("Save its changes");
  useWorkspace.setState({ drafts: create(DraftsSchema, { list: [{ model: "big", path: "config.pbtxt" }] }) });
  expect(await shown(5_000n, "python")).toContain("Save its changes first: a load reads the files.");
});
