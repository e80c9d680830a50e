import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Diagnostic_Severity,
  ListProblemsResponseSchema,
  ModelState,
  ModelSummarySchema,
  SummarizeResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { ModelsTable } from "./ModelsTable";

afterEach(() => void vi.restoreAllMocks());

test("why a model failed is told in the words of the problem list, with Triton's in the tooltip", async () => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  vi.spyOn(clients.metrics, "summarize").mockResolvedValue(create(SummarizeResponseSchema));
  const triton = "output 'OUT' for ensemble 'pair' is not written";
  const message = 'Nothing produces tensor "rihgt"; did you mean "right"?';
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(
    create(ListProblemsResponseSchema, {
      files: [
        {
          model: "pair",
          path: "config.pbtxt",
          diagnostics: [{ severity: Diagnostic_Severity.ERROR, message, triton }],
        },
      ],
    }),
  );
  const failed = (name: string, reason: string) =>
    create(ModelSummarySchema, { name, state: ModelState.FAILED, reason });
  const models = [failed("pair", triton), failed("other", "the file is too short")];
  useWorkspace.setState({ models: new Map(models.map((model) => [model.name, model])) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ModelsTable view={{ range: "15m" }} />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(page.textContent).toContain(message));
  expect(page.querySelector(`td[title*="${triton}"]`)?.textContent).toBe(message);
  expect(page.querySelector("td[title='the file is too short']")?.textContent).toBe("The file is too short");
  await act(async () => root.unmount());
});
