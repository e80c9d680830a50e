import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ModelState, type ModelSummary, ModelSummarySchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { ModelRow } from "./ModelRow";

test("a row tells the kind of a model; that of an ensemble is the head of its group", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const row = async (model: ModelSummary) => {
    await act(async () =>
      root.render(
        <QueryClientProvider client={queryClient}>
          <ModelRow model={model} selected={false} tabbable />
        </QueryClientProvider>,
      ),
    );
    return page.querySelector("[role=option]")?.textContent;
  };
  const state = ModelState.READY;
  const digits = create(ModelSummarySchema, { name: "digits", state, kind: "ONNX" });
  const read = create(ModelSummarySchema, { name: "read_digit", state, kind: "Ensemble", ensemble: true });
  expect(await row(digits)).toContain("ONNX");
  expect(await row(read)).not.toContain("Ensemble");
  const warned = create(ModelSummarySchema, { name: "count", state, kind: "Python", warnings: 3 });
  expect(await row(warned)).toMatch(/Python3$/); // with how many problems it has
  await act(async () => root.unmount());
});
