import { create } from "@bufbuild/protobuf";
import { act, createRef } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { InstallRuntimeResponseSchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { useWorkspace } from "../../workspace/workspace";
import { FromFolder } from "./FromFolder";

const button = (label: string) =>
  [...document.querySelectorAll("button")].find((one) => one.textContent === label);

test("the button that cancels an install from a folder never becomes the one that begins it", async () => {
  useWorkspace.setState({ connection: "live" });
  vi.spyOn(clients.workspace, "installRuntime").mockImplementation(async function* (_, options) {
    yield create(InstallRuntimeResponseSchema, { text: "unpacking and checking" });
    await new Promise((_, reject) =>
      options?.signal?.addEventListener("abort", () => reject(new Error("ended"))),
    );
  });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const field = createRef<HTMLInputElement>();
  await act(async () =>
    root.render(<FromFolder changes={0} name="" onName={() => {}} field={field} onDone={() => {}} />),
  );
  await act(async () => enter(field.current as HTMLInputElement, "/opt/ort"));
  await act(async () => button("Install")?.click());
  const cancel = button("Cancel");
  await act(async () => cancel?.click());
  await vi.waitFor(() => expect(document.body.textContent).toContain("Cancelled: nothing was installed."));
  expect(button("Install")).toBeDefined();
  expect(cancel?.isConnected).toBe(false); // a browser ends the click on what is still in the form by submitting it
  await act(async () => root.unmount());
});

test("why nothing was installed is not said any more when a build has been chosen or removed since", async () => {
  useWorkspace.setState({ connection: "live" });
  // biome-ignore lint/correctness/useYield: it fails before the first event
  vi.spyOn(clients.workspace, "installRuntime").mockImplementation(async function* () {
    throw new Error("there is no libonnxruntime.so.1 in /opt/ort");
  });
  Element.prototype.scrollIntoView = () => {};
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const field = createRef<HTMLInputElement>();
  const shown = (changes: number) =>
    act(async () =>
      root.render(<FromFolder changes={changes} name="" onName={() => {}} field={field} onDone={() => {}} />),
    );
  await shown(3);
  await act(async () => enter(field.current as HTMLInputElement, "/opt/ort"));
  await act(async () => button("Install")?.click());
  await vi.waitFor(() => expect(document.body.textContent).toContain("Nothing was installed"));
  await shown(4);
  expect(document.body.textContent).not.toContain("Nothing was installed");
  expect(field.current?.value).toBe("/opt/ort");
  await act(async () => root.unmount());
});
