import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  AnalyzeResponseSchema,
  CompareResponseSchema,
  Diagnostic_Severity,
  Engine_State,
  EngineSchema,
  GetEffectiveConfigResponseSchema,
  ModelState,
  ModelSummarySchema,
  RepositorySchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { CompareView } from "./CompareView";
import { EffectiveView } from "./EffectiveView";
import { file, open, startApp } from "./fakeApp";

beforeEach(startApp);

/** What the effective config and the comparison say of a file that has errors or not, while the model is in a state. */
async function said(state: ModelState, errors: number) {
  const name = file.model;
  useWorkspace.setState({ models: new Map([[name, create(ModelSummarySchema, { name, state })]]) });
  const severity = Diagnostic_Severity.ERROR;
  vi.mocked(clients.editor.analyze).mockImplementation(async ({ number }) =>
    create(AnalyzeResponseSchema, {
      number,
      diagnostics: Array.from({ length: errors }, () => ({ severity, message: "wrong", line: 4 })),
    }),
  );
  vi.spyOn(clients.models, "getEffectiveConfig").mockResolvedValue(create(GetEffectiveConfigResponseSchema));
  vi.spyOn(clients.editor, "compare").mockResolvedValue(create(CompareResponseSchema));
  const session = await open();
  await vi.waitFor(() => expect(session.store.getState().findings).toHaveLength(errors));
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const onText = vi.fn();
  const texts: string[] = [];
  for (const View of [EffectiveView, CompareView]) {
    await act(async () =>
      root.render(
        <QueryClientProvider client={queryClient}>
          <View session={session} onText={onText} />
        </QueryClientProvider>,
      ),
    );
    await vi.waitFor(() => expect(page.querySelector(".cm-content, table")).not.toBeNull());
    texts.push(page.textContent ?? "");
    page.querySelector<HTMLButtonElement>("[role=alert] button")?.click();
  }
  await act(async () => root.unmount());
  return { texts, onText };
}

test("both views are asked again when another engine comes, its GPUs change, or missing ones are refused", async () => {
  const effective = vi
    .spyOn(clients.models, "getEffectiveConfig")
    .mockResolvedValue(create(GetEffectiveConfigResponseSchema));
  const compare = vi.spyOn(clients.editor, "compare").mockResolvedValue(create(CompareResponseSchema));
  const session = await open();
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const ready = { state: Engine_State.READY, pid: 1 };
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <EffectiveView session={session} onText={() => {}} />
        <CompareView session={session} onText={() => {}} />
      </QueryClientProvider>,
    ),
  );
  const gpus = [{ device: "GPU 0", uuid: "GPU-a" }];
  const changes = [
    { engine: create(EngineSchema, ready) },
    { engine: create(EngineSchema, { ...ready, gpus }) },
    { repository: create(RepositorySchema, { access: { strictGpu: true } }) },
    { engine: create(EngineSchema, { ...ready, gpus, pid: 2 }) },
  ];
  for (const [i, change] of changes.entries()) {
    await act(async () => useWorkspace.setState(change));
    await vi.waitFor(() => {
      expect(effective).toHaveBeenCalledTimes(i + 2);
      expect(compare).toHaveBeenCalledTimes(i + 2);
    });
  }
  await act(async () => root.unmount());
  useWorkspace.setState({ engine: undefined, repository: undefined });
});

test("of a saved file that Triton refuses, both views say that another state of it serves, and lead to the error", async () => {
  const { texts, onText } = await said(ModelState.OLDER_SERVES, 1);
  for (const text of texts) {
    expect(text).toContain("The saved file has 1 error, so Triton would not load it.");
    expect(text).toContain("the model serves what was loaded before");
    expect(text).toContain("Show line 4");
  }
  expect(onText).toHaveBeenCalledTimes(2);
});

test("of a model that serves nothing, nothing is said of what serves", async () => {
  for (const text of (await said(ModelState.FAILED, 2)).texts) {
    expect(text).toContain("has 2 errors");
    expect(text).not.toContain("serves");
  }
});

test("of a file that serves as it is, there is nothing to say", async () => {
  for (const text of (await said(ModelState.READY, 0)).texts) expect(text).not.toMatch(/serves|would not/);
});
