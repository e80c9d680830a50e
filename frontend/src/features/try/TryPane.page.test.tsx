import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  GetModelResponseSchema,
  InferResponseSchema,
  ListHistoryResponseSchema,
  ListTracedTensorsResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { encode } from "../../lib/tensor";
import { forgetTries } from "../../requests/tries";
import { useToasts } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { copyAs, languages } from "./snippet";
import { TryPane } from "./TryPane";

const names = Array.from({ length: 14 }, (_, i) => `INPUT${i}`);
const output = (name: string) => ({ name, datatype: "INT32", shape: [1n], raw: encode("INT32", [7]) });
const timings = { inferNs: 5n, totalNs: 7n, roundTripNs: 9n };
const step = (place: number, model: string) => ({ step: place, model, timings, span: { endedNs: 3n } });

test("the answer has a place of its own, outputs first, and the request stays as it is", async () => {
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, {
      summary: { name: "m" },
      inputs: names.map((name) => ({ name, datatype: "INT32", dims: [2n], shape: [2n] })),
    }),
  );
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(create(ListHistoryResponseSchema, {}));
  vi.spyOn(clients.tryIt, "infer").mockImplementation(async function* () {
    yield create(InferResponseSchema, {
      ok: true,
      timings,
      traceId: 3n,
      span: { endedNs: 7n },
      steps: [step(1, "second"), step(0, "first")],
      outputs: [output("SECOND"), output("FIRST")],
    });
  });
  const between = vi.spyOn(clients.tryIt, "listTracedTensors").mockResolvedValue(
    create(ListTracedTensorsResponseSchema, {
      tensors: [{ path: [1], model: "second", output: true, byteSize: 4n, tensor: output("between") }],
    }),
  );
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <TryPane model="m" />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(page.textContent).toContain("INPUT13"));
  expect(page.querySelector("section[aria-label=Response]")).toBeNull(); // nothing was asked
  const field = page.querySelector<HTMLElement>("textarea, input:not([type=checkbox])");
  field?.focus();
  await act(async () =>
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, cancelable: true })),
  );
  await vi.waitFor(() => expect(page.textContent).toContain("FIRST"));
  expect(document.activeElement).toBe(field); // the form is the same as before, and has the focus
  const answer = page.querySelector("section[aria-label=Response]") as HTMLElement;
  expect([...page.querySelectorAll("[title^='Size of the answer']")]).toHaveLength(1);
  let inputs: Element | null = field;
  while (inputs && !inputs.contains(answer)) inputs = inputs.parentElement;
  expect(inputs?.hasAttribute("data-group")).toBe(true); // what they share is the split, which does not scroll
  const shown = answer.textContent ?? "";
  const order = ["SECOND", "FIRST", "Step 1 · first", "Step 2 · second", "workbench and transport"];
  expect([...order].sort((a, b) => shown.indexOf(a) - shown.indexOf(b))).toEqual(order);
  expect(between).not.toHaveBeenCalled(); // what went between the steps is folded
  const fold = [...answer.querySelectorAll("button")].find((b) => b.textContent?.includes("Step 2 · second"));
  await act(async () => fold?.click());
  await vi.waitFor(() =>
    expect(answer.querySelector("section[aria-label='between given by second']")).not.toBeNull(),
  );
  await act(async () => root.unmount());
});

test("what the pane cannot do is said in the pane, until the next thing is done", async () => {
  const details = create(GetModelResponseSchema, {
    summary: { name: "m" },
    inputs: [{ name: "x", datatype: "INT32", dims: [1n], shape: [1n] }],
  });
  vi.spyOn(clients.models, "getModel").mockResolvedValue(details);
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(create(ListHistoryResponseSchema, {}));
  vi.spyOn(clients.tryIt, "snippet").mockRejectedValue(new Error("no words for it"));
  act(forgetTries);
  queryClient.clear();
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <TryPane model="m" />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(page.textContent).toContain("INT32"));
  const said = () => page.querySelector("[role=alert]")?.textContent ?? "";
  await act(async () => void (await copyAs(languages[0], details)));
  expect(said()).toBe("The request was not copied as curl. no words for it");
  act(() => useWorkspace.setState({ connection: "lost" }));
  await act(async () =>
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, cancelable: true })),
  );
  expect(said()).toMatch(/^The request was not sent\. /);
  expect(useToasts.getState().toasts).toEqual([]);
  await act(async () => page.querySelector<HTMLButtonElement>("[aria-label=Dismiss]")?.click());
  expect(said()).toBe("");
  await act(async () => root.unmount());
});
