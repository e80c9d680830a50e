import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  AnalyzeResponseSchema,
  Diagnostic_Severity,
  DraftsSchema,
  ListProblemsResponseSchema,
  ModelState,
  type ModelSummary,
  ModelSummarySchema,
  ReadFileResponseSchema,
} from "../../api/conch_pb";
import { keys, queryClient } from "../../api/queries";
import named from "../../ui/Named.module.css";
import { TooltipProvider } from "../../ui/Tooltip";
import { usePlace } from "../../window/place";
import { useModelActions } from "../../workspace/modelActions";
import { useTelling } from "../../workspace/told";
import { useWorkspace } from "../../workspace/workspace";
import { ModelHeader } from "./ModelHeader";
import { ModelRow } from "./ModelRow";

const triton = "model 'digits', tensor 'image': the model expects 2 dimensions";
const better = "Input image has 63 values, and the model takes 64";

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

test("a load that failed while the one before serves says why, and leads to the problem", async () => {
  const severity = Diagnostic_Severity.ERROR;
  const files = [
    { model: "digits", path: "1/model.py", diagnostics: [{ severity, message: better, triton, line: 7 }] },
  ];
  queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema, { files }));
  const model = create(ModelSummarySchema, {
    name: "digits",
    state: ModelState.OLDER_SERVES,
    reason: triton,
  });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <ModelHeader model={model} />
        </TooltipProvider>
      </QueryClientProvider>,
    ),
  );
  const words = `Load failed; the one before serves: ${better}`;
  const chip = [...page.querySelectorAll("button")].find(({ textContent }) => textContent === words);
  await act(async () => (chip ?? expect.fail("no chip says why")).click());
  expect(usePlace.getState()).toMatchObject({ model: "digits", reveal: { path: "1/model.py", line: 7 } });
  await act(async () => root.unmount());
});

test("what the reason beside the state quotes is in the mono face", async () => {
  const reason = 'nothing produces tensor "scores"';
  queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema));
  const model = create(ModelSummarySchema, { name: "digits", state: ModelState.FAILED, reason });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <ModelHeader model={model} />
        </TooltipProvider>
      </QueryClientProvider>,
    ),
  );
  expect(page.querySelector(`.${named.name}`)?.textContent).toBe('"scores"');
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

test("a problem that only the file on disk still has is told in the same words, and that the edit is not saved", async () => {
  const severity = Diagnostic_Severity.ERROR;
  queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema));
  const draft = { model: "digits", path: "config.pbtxt", version: 1n };
  useWorkspace.setState({ drafts: create(DraftsSchema, { list: [draft] }) });
  vi.spyOn(clients.editor, "readFile").mockResolvedValue(
    create(ReadFileResponseSchema, { text: "saved", draft: { text: "repaired" } }),
  );
  vi.spyOn(clients.editor, "analyze").mockImplementation(async ({ text }) =>
    create(AnalyzeResponseSchema, {
      diagnostics: text === "saved" ? [{ severity, message: better, triton }] : [],
    }),
  );
  useModelActions.setState({ refused: {} });
  const model = create(ModelSummarySchema, { name: "digits", state: ModelState.FAILED, reason: triton });
  const { page, end } = await header(model);
  await vi.waitFor(() => expect(page.textContent).toContain(better));
  expect(page.textContent).toContain("Edited, not saved");
  expect(page.textContent).not.toContain(triton);
  await end();
  useWorkspace.setState({ drafts: create(DraftsSchema) });
});

/** A list on the page. */
function List({ sentences }: { sentences: string[] }) {
  useTelling("list", sentences);
  return null;
}

test("what a list on the page says of a failed model, its header does not repeat", async () => {
  const severity = Diagnostic_Severity.ERROR;
  const files = [
    { model: "digits", path: "config.pbtxt", diagnostics: [{ severity, message: better, triton, line: 3 }] },
  ];
  queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema, { files }));
  useModelActions.setState({ refused: {} });
  const model = create(ModelSummarySchema, { name: "digits", state: ModelState.FAILED, reason: triton });
  const { page, end, render } = await header(model, <List sentences={[better]} />);
  expect(page.textContent).toContain("Failed");
  expect(page.textContent).not.toContain(better);
  // A refusal leads to it.
  await act(async () =>
    useModelActions.setState({ refused: { digits: { action: "load", reason: triton } } }),
  );
  expect(page.textContent).toContain("The problem in line 3 of config.pbtxt says why.");
  expect(page.textContent).not.toContain(better);
  // Without the list the header says it again.
  await act(async () => useModelActions.setState({ refused: {} }));
  await render(<List sentences={["another"]} />);
  expect(page.textContent).toContain(better);
  await end();
});

/** The header of a model, beside other parts of its page. */
async function header(model: ModelSummary, beside?: ReactNode) {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const render = (others: ReactNode) =>
    act(async () =>
      root.render(
        <QueryClientProvider client={queryClient}>
          <TooltipProvider>
            <ModelHeader model={model} />
            {others}
          </TooltipProvider>
        </QueryClientProvider>,
      ),
    );
  await render(beside);
  return { page, render, end: () => act(async () => root.unmount()) };
}
