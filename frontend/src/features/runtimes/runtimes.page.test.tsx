import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  ChooseRuntimeResponseSchema,
  InstallRuntimeResponseSchema,
  ListRuntimesResponseSchema,
  RestartEngineResponseSchema,
} from "../../api/conch_pb";
import { megabytes } from "../../lib/format";
import { openDialog } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { adviceParts, notHere } from "./builds";
import { RuntimesDialog } from "./RuntimesDialog";

const list = create(ListRuntimesResponseSchema, {
  gpu: "no NVIDIA GPU",
  here: [
    { name: "bundled", version: "1.30.0", providers: ["WebGPU", "CPU"], used: true },
    {
      name: "cuda13-1.30.0",
      installed: true,
      providers: ["CUDA"],
      missing: [{ provider: "CUDA", text: "cuda needs libcublas.so.13" }],
    },
    { name: "mine-1.2", installed: true, error: "it is damaged" },
  ],
  offered: [
    { name: "cpu", package: "onnxruntime 1.30.0", version: "1.30.0", weight: "23.6 MB" },
    { name: "cuda12", absent: "there is no package" },
  ],
});

const buttons = () => [...document.querySelectorAll<HTMLButtonElement>("li button")];
const button = (text: string) => {
  const found = buttons().find(({ textContent }) => textContent?.startsWith(text));
  if (!found) throw new Error(`no button ${text}`);
  return found;
};

async function show() {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => {
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <RuntimesDialog />
      </QueryClientProvider>,
    );
    openDialog("runtimes");
  });
  return root;
}

test("nothing is chosen while a variable names the library", async () => {
  useWorkspace.setState({ connection: "live" });
  const told = create(ListRuntimesResponseSchema, {
    here: [{ name: "CONCH_ONNXRUNTIME", used: true }, { name: "bundled" }, { name: "mine", installed: true }],
    offered: [{ name: "cpu", package: "onnxruntime 1.30.0", version: "1.30.0", weight: "23.6 MB" }],
  });
  vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(told);
  const root = await show();
  await vi.waitFor(() => expect(document.querySelectorAll("li")).toHaveLength(4));
  expect(document.body.textContent).toContain(
    "CONCH_ONNXRUNTIME is set and names the library that runs. What is installed here is used when Conch is started without it.",
  );
  const uses = buttons().filter(({ textContent }) => textContent === "Use");
  expect(uses.map(({ disabled }) => disabled)).toEqual([true, true]);
  expect(uses[0]?.title).toBe("CONCH_ONNXRUNTIME is set: start Conch without it to choose a build");
  await act(async () => root.unmount());
});

test("a build that was not heard or that nothing vouches for says so, and can be used", async () => {
  useWorkspace.setState({ connection: "live" });
  const doubtful = create(ListRuntimesResponseSchema, {
    here: [
      { name: "mine-1.30.0", installed: true, unasked: "the process was stopped" },
      {
        name: "cuda13-1.30.0",
        installed: true,
        providers: ["CUDA"],
        doubt: "no published hash was compared with a.whl",
      },
    ],
  });
  vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(doubtful);
  const root = await show();
  await vi.waitFor(() => expect(document.querySelectorAll("li")).toHaveLength(2));
  expect(document.body.textContent).toContain("It has not said what it is: the process was stopped");
  expect(document.body.textContent).toContain("No published hash was compared with a.whl");
  expect(document.body.textContent).not.toContain("Cannot be used");
  const uses = buttons().filter(({ textContent }) => textContent === "Use");
  expect(uses.map(({ disabled }) => disabled)).toEqual([false, false]);
  await act(async () => root.unmount());
});

test("builds are listed and chosen, and nothing is downloaded before a second press", async () => {
  useWorkspace.setState({ connection: "live" });
  vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(list);
  const restart = vi
    .spyOn(clients.workspace, "restartEngine")
    .mockResolvedValue(create(RestartEngineResponseSchema));
  const choose = vi
    .spyOn(clients.workspace, "chooseRuntime")
    .mockResolvedValue(create(ChooseRuntimeResponseSchema));
  let signal: AbortSignal | undefined;
  const install = vi
    .spyOn(clients.workspace, "installRuntime")
    .mockImplementation(async function* (_, options) {
      signal = options?.signal;
      yield create(InstallRuntimeResponseSchema, { text: "fetching onnxruntime 1.30.0" });
      yield create(InstallRuntimeResponseSchema, { bytes: 2_000_000n });
      await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("ended"))));
    });
  const root = await show();
  await vi.waitFor(() => expect(document.querySelectorAll("li")).toHaveLength(5));
  expect(buttons().map(({ textContent, disabled }) => [textContent, disabled])).toEqual([
    ["Use", false],
    ["Remove", false],
    ["Use", true],
    ["Remove", false],
    ["Install…", false],
    ["Install…", true],
  ]);
  const names = [...document.querySelectorAll("li .mono")].map(({ textContent }) => textContent);
  expect(names).toEqual(["bundled", "cuda13-1.30.0", "mine-1.2", "cpu", "cuda12"]);
  expect(document.body.textContent).toContain("cuda needs libcublas.so.13");
  expect(document.body.textContent).toContain("WebGPU, CPU");
  expect(document.body.textContent).toContain("Cannot be used: it is damaged");

  await act(async () => button("Use").click());
  expect(choose).toHaveBeenCalledWith({ name: "cuda13-1.30.0" });
  expect(restart).toHaveBeenCalledTimes(1);

  await act(async () => button("Install…").click());
  expect(install).not.toHaveBeenCalled();
  expect(document.body.textContent).toContain("pip downloads onnxruntime 1.30.0 (23.6 MB)");
  await act(async () => button("Download 23.6 MB").click());
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain("fetching onnxruntime 1.30.0 · 2.0 MB of 23.6 MB"),
  );
  await act(async () => button("Cancel").click());
  expect(signal?.aborted).toBe(true);
  await vi.waitFor(() => expect(() => button("Cancel")).toThrow());
  await act(async () => root.unmount());
});

test("what is installed is not offered again, unless another version is, or it is damaged", () => {
  const left = (name: string, error = "", installed = true) => {
    const of = create(ListRuntimesResponseSchema, {
      here: [{ name, installed, error }],
      offered: [{ name: "cuda13", version: "1.30.0" }],
    });
    return notHere(of.offered, of.here).map(({ name: offered }) => offered);
  };
  expect(left("cuda13-1.30.0")).toEqual([]);
  expect(left("cuda13-1.29.0")).toEqual(["cuda13"]);
  expect(left("cuda13-1.30.0", "it is damaged")).toEqual(["cuda13"]);
  expect(left("cuda13-1.30.0", "", false)).toEqual(["cuda13"]);
});

test("of a download both figures are rounded in the same way", () => {
  expect(megabytes(246_685_715)).toBe("246.7 MB");
});

test("the command of an advice is copied alone", async () => {
  expect(adviceParts("NVIDIA's driver is missing")).toEqual(["NVIDIA's driver is missing", ""]);
  expect(adviceParts("start Conch with: LD_LIBRARY_PATH=/a:/b")).toEqual([
    "start Conch with:",
    "LD_LIBRARY_PATH=/a:/b",
  ]);
  vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(
    create(ListRuntimesResponseSchema, {
      here: [{ name: "a", advice: ["get them with: pip install 'nvidia-cublas~=13.0'"] }],
    }),
  );
  const writeText = vi.fn().mockResolvedValue(undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
  const root = await show();
  await vi.waitFor(() => expect(button("Copy").getAttribute("aria-label")).toContain("pip install"));
  await act(async () => button("Copy").click());
  expect(writeText).toHaveBeenCalledWith("pip install 'nvidia-cublas~=13.0'");
  vi.unstubAllGlobals();
  await act(async () => root.unmount());
});
