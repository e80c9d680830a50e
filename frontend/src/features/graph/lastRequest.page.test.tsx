import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { GetGraphResponseSchema, InferResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { InputsError } from "../../requests/request";
import { type Answer, patchTry } from "../../requests/tries";
import { GraphView } from "./GraphView";

vi.mock("./GraphCanvas", () => ({ GraphCanvas: () => null })); // the drawing has tests of its own

test("what was not sent is no request, and what was stopped has not failed", async () => {
  vi.spyOn(clients.models, "getGraph").mockResolvedValue(
    create(GetGraphResponseSchema, { nodes: [{ id: "step:0", label: "first", model: "first" }] }),
  );
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const graph = (
    <QueryClientProvider client={queryClient}>
      <GraphView model="pair" />
    </QueryClientProvider>
  );
  await act(async () => root.render(graph));
  await vi.waitFor(() => expect(page.textContent).toContain("Where the time went"));
  const after = async (answer: Answer) => {
    await act(async () => patchTry("pair", { answer }));
    return page.textContent;
  };
  const failure = new InputsError([{ input: "IMAGE", message: "Nothing is drawn yet" }]);
  const unsent = await after({ at: 1, failure });
  expect(unsent).toContain("Send a request");
  expect(unsent).not.toContain("last request");
  expect(await after({ at: 1, response: create(InferResponseSchema, { stopped: true }) })).toMatch(
    /· stopped/,
  );
  expect(await after({ at: 1, response: create(InferResponseSchema, {}) })).toMatch(/· failed/);
  await act(async () => root.unmount());
});
