import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import {
  Diagnostic_Severity,
  ListProblemsResponseSchema,
  ModelState,
  ModelSummarySchema,
} from "../../api/conch_pb";
import { keys, queryClient } from "../../api/queries";
import { TooltipProvider } from "../../ui/Tooltip";
import { useModelActions } from "../../workspace/modelActions";
import { ModelHeader } from "./ModelHeader";
import { ModelRow } from "./ModelRow";

const triton = "model 'digits', tensor 'image': the model expects 2 dimensions";
const better = "image has 63 values, and the model takes 64";

test("why a model failed is said once, in the words of the problem list; Triton's words are small print", async () => {
  const severity = Diagnostic_Severity.ERROR;
  const files = [
    { model: "digits", path: "config.pbtxt", diagnostics: [{ severity, message: better, triton }] },
  ];
  queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema, { files }));
  const model = create(ModelSummarySchema, { name: "digits", state: ModelState.FAILED, reason: triton });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <ModelHeader model={model} />
        </TooltipProvider>
      </QueryClientProvider>,
    ),
  );
  expect(document.body.textContent).toContain(better);
  expect(document.body.textContent).not.toContain(triton);
  await act(async () =>
    useModelActions.setState({ refused: { digits: { action: "load", reason: triton } } }),
  );
  expect(document.body.textContent?.split(better)).toHaveLength(2);
  expect(document.querySelector("[role=alert] small")?.textContent).toBe(triton);
  await act(async () => root.unmount());
});

test("the row of a failed model is named in the words of the problem list", async () => {
  const severity = Diagnostic_Severity.ERROR;
  const files = [
    { model: "digits", path: "config.pbtxt", diagnostics: [{ severity, message: better, triton }] },
  ];
  queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema, { files }));
  const model = create(ModelSummarySchema, { name: "digits", state: ModelState.FAILED, reason: triton });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ModelRow model={model} selected={false} tabbable />
      </QueryClientProvider>,
    ),
  );
  const name = page.querySelector("[role=option] svg[role=img]")?.getAttribute("aria-label");
  expect(name).toContain(better);
  expect(name).not.toContain(triton);
  await act(async () => root.unmount());
});
