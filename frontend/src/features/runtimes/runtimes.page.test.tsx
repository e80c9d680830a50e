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
  RemoveRuntimeResponseSchema,
  RestartEngineResponseSchema,
  RuntimeSchema,
} from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { closeDialog, openDialog } from "../../window/dialogs";
import { useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { adviceParts } from "./builds";
import { RuntimesDialog } from "./RuntimesDialog";

const list = create(ListRuntimesResponseSchema, {
  gpu: "no NVIDIA GPU",
  here: [
    { name: "bundled", version: "1.30.0", providers: ["WebGPU", "CPU"], used: true },
    {
      name: "cuda13-1.30.0",
      installed: true,
      bytes: 700_000_000n,
      providers: ["CUDA"],
      missing: [{ provider: "CUDA", text: "CUDA needs libcublas.so.13" }],
    },
    { name: "mine-1.2", installed: true, error: "it is damaged" },
  ],
  offered: [
    { name: "cpu", package: "onnxruntime 1.30.0", version: "1.30.0", weight: "22.5 MiB" },
    { name: "cuda12", absent: "there is no package" },
  ],
});

const buttons = () => [...document.querySelectorAll<HTMLButtonElement>("li button")];
const button = (text: string) => {
  const found = buttons().find(({ textContent }) => textContent?.startsWith(text));
  if (!found) throw new Error(`no button ${text}`);
  return found;
};

const said = () => document.querySelector("[role=dialog] p[role=status]")?.textContent;
const newestNotice = () => useToasts.getState().past[0]?.text;

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
    offered: [{ name: "cpu", package: "onnxruntime 1.30.0", version: "1.30.0", weight: "22.5 MiB" }],
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
    ["Remove…", false],
    ["Use", true],
    ["Remove…", false],
    ["Install…", false],
    ["From a folder…", false],
  ]);
  const names = [...document.querySelectorAll("li .mono")].map(({ textContent }) => textContent);
  expect(names).toEqual(["bundled", "cuda13-1.30.0", "mine-1.2", "cpu", "cuda12"]);
  expect(document.body.textContent).toContain("CUDA needs libcublas.so.13");
  expect(document.body.textContent).toContain("WebGPU, CPU");
  expect(document.body.textContent).toContain("Cannot be used: it is damaged");
  expect(buttons()[2]?.title).toBe("It cannot be used: it is damaged");

  await act(async () => button("Use").click());
  expect(choose).toHaveBeenCalledWith({ name: "cuda13-1.30.0" });
  expect(restart).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => expect(said()).toBe("The engine uses cuda13-1.30.0"));
  expect(useToasts.getState().past[0]?.names).toEqual(["cuda13-1.30.0"]); // set as a name, as in the dialog

  await act(async () => button("Install…").click());
  expect(install).not.toHaveBeenCalled();
  const source =
    "pip downloads onnxruntime 1.30.0 (22.5 MiB) from the package index that it is configured for, which is PyPI unless you have changed it.";
  expect(document.body.textContent).toContain(source);
  expect(document.activeElement).toBe(button("Download 22.5 MiB"));
  await act(async () => button("Cancel").click());
  expect(document.body.textContent).not.toContain(source);
  expect(install).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(button("Install…"));
  await act(async () => button("Install…").click());
  await act(async () => button("Download 22.5 MiB").click());
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain("fetching onnxruntime 1.30.0 · 1.9 MiB of 22.5 MiB"),
  );
  const readOut = [...document.querySelectorAll("[role=status]")].map(({ textContent }) => textContent);
  expect(readOut).toContain("fetching onnxruntime 1.30.0");
  const come = structuredClone(list);
  if (come.offered[0]) come.offered[0].come = "1.9 MiB";
  vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(come);
  await act(async () => button("Cancel").click());
  expect(signal?.aborted).toBe(true);
  await vi.waitFor(() => {
    const said = document.body.textContent;
    expect(said).toContain("Cancelled: nothing was installed.");
    expect(said).toContain("1.9 MiB of the download are kept for a week: Install… goes on from there.");
  });
  await act(async () => button("Install…").click());
  expect(document.body.textContent).toContain("1.9 MiB of it are here already.");
  expect(document.activeElement).toBe(button("Download the rest"));
  await act(async () => root.unmount());
});

const field = (label: string) => document.querySelector(`input[aria-label="${label}"]`) as HTMLInputElement;
const submit = () =>
  document.querySelector<HTMLButtonElement>("form button[type=submit]") as HTMLButtonElement;

const type = (into: HTMLInputElement, text: string) => act(async () => enter(into, text));

test("a build is installed from a folder, and what is wrong with the folder is said below it", async () => {
  useWorkspace.setState({ connection: "live" });
  const listing = vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(list);
  const install = vi.spyOn(clients.workspace, "installRuntime").mockImplementation(async function* () {
    yield create(InstallRuntimeResponseSchema, { text: "unpacking and checking" });
    throw new Error("there is no libonnxruntime.so.1 in /opt/ort");
  });
  const revealed = vi.fn();
  Element.prototype.scrollIntoView = revealed;
  const root = await show();
  await vi.waitFor(() => expect(document.querySelectorAll("li")).toHaveLength(5));
  expect(submit().title).toBe("Say first where it is: a folder or a wheel");
  await act(async () => button("From a folder…").click());
  expect(field("Name of the build").value).toBe("cuda12");
  expect(document.activeElement).toBe(field("Folder or wheel"));
  await type(field("Folder or wheel"), " /opt/ort ");
  await act(async () => submit().click());
  expect(install.mock.lastCall?.[0]).toEqual({ name: "cuda12", from: "/opt/ort" });
  const alert = await vi.waitFor(() => document.querySelector("form [role=alert]") as HTMLElement);
  expect(alert.textContent).toContain("Nothing was installed");
  expect(revealed.mock.contexts.at(-1)).toBe(alert.parentElement);
  expect(alert.textContent).toContain("/opt/ort");
  expect(field("Folder or wheel").value).toBe(" /opt/ort ");

  const made = structuredClone(list);
  made.here.push(create(RuntimeSchema, { name: "cuda12-1.30.0", installed: true, providers: ["CUDA"] }));
  listing.mockResolvedValue(made);
  install.mockImplementation(async function* () {
    yield create(InstallRuntimeResponseSchema, { installed: "cuda12-1.30.0" });
  });
  await act(async () => submit().click());
  await vi.waitFor(() => expect(newestNotice()).toBe("cuda12-1.30.0 is installed"));
  expect(said()).toBe("cuda12-1.30.0 is installed");
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Use"));
  expect(document.activeElement?.closest("li")?.textContent).toContain("cuda12-1.30.0");
  expect(document.querySelector("form [role=alert]")).toBeNull();
  await act(async () => root.unmount());
});

test("who closes the dialog while a build comes is told that it was stopped", async () => {
  useWorkspace.setState({ connection: "live" });
  vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(list);
  vi.spyOn(clients.workspace, "installRuntime").mockImplementation(async function* (_, options) {
    yield create(InstallRuntimeResponseSchema, { bytes: 2_000_000n });
    await new Promise((_, reject) =>
      options?.signal?.addEventListener("abort", () => reject(new Error("ended"))),
    );
  });
  const root = await show();
  await vi.waitFor(() => button("Install…"));
  await act(async () => button("Install…").click());
  await act(async () => button("Download 22.5 MiB").click());
  await vi.waitFor(() => expect(document.body.textContent).toContain("1.9 MiB of 22.5 MiB"));
  await act(async () => closeDialog());
  expect(newestNotice()).toBe("cpu was not installed: the dialog was closed");
  expect(useToasts.getState().past[0]?.detail).toContain("is kept for a week");
  await act(async () => root.unmount());
});

test("a build is removed after a question, which says what that frees and what is used then", async () => {
  useWorkspace.setState({ connection: "live" });
  const inUse = structuredClone(list);
  inUse.here.push(create(RuntimeSchema, { name: "own-1.30.0", installed: true, used: true }));
  vi.spyOn(clients.workspace, "listRuntimes").mockResolvedValue(inUse);
  const remove = vi
    .spyOn(clients.workspace, "removeRuntime")
    .mockResolvedValue(create(RemoveRuntimeResponseSchema, { text: "cuda13-1.30.0 is removed" }));
  const root = await show();
  await vi.waitFor(() => expect(document.querySelectorAll("li")).toHaveLength(6));
  const grey = buttons().filter(({ textContent, disabled }) => textContent === "Remove…" && disabled);
  expect(grey.map(({ title }) => title)).toEqual(["Engines use it: choose another one first, with its Use"]);
  await act(async () => button("Remove…").click());
  expect(remove).not.toHaveBeenCalled();
  expect(document.body.textContent).toContain("Removing it frees 668 MiB. Engines go on with bundled.");
  expect(document.activeElement).toBe(button("Cancel"));
  await act(async () => button("Cancel").click());
  expect(document.body.textContent).not.toContain("Removing it frees");
  await act(async () => button("Remove…").click());
  const yes = buttons().find(({ textContent }) => textContent === "Remove");
  await act(async () => yes?.click());
  expect(remove).toHaveBeenCalledWith({ name: "cuda13-1.30.0" });
  await vi.waitFor(() => expect(newestNotice()).toBe("cuda13-1.30.0 is removed"));
  expect(said()).toBe("cuda13-1.30.0 is removed");
  expect(document.activeElement?.textContent).toBe(said());
  await act(async () => root.unmount());
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
