import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  type CompareAnswersResponse,
  CompareAnswersResponseSchema,
  Engine_State,
  EngineSchema,
  GetModelResponseSchema,
  ListProvidersResponseSchema,
  ModelState,
  ModelSummarySchema,
} from "../../api/conch_pb";
import { patchTry } from "../../requests/tries";
import { useWorkspace } from "../../workspace/workspace";
import { CompareButton } from "./CompareButton";

const ready = (name: string) =>
  create(ModelSummarySchema, {
    name,
    state: ModelState.READY,
    versions: [{ number: 1n, state: ModelState.READY }],
  });

const details = (name: string) => create(GetModelResponseSchema, { summary: ready(name) });

const click = (text: string) =>
  act(async () =>
    [...document.querySelectorAll("button")].find(({ textContent }) => textContent === text)?.click(),
  );

afterEach(() => vi.restoreAllMocks());

/** The button of a model that is ready beside another, and runs on one more provider. */
async function show() {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  useWorkspace.setState({
    connection: "live",
    engine: create(EngineSchema, { state: Engine_State.READY }),
    models: new Map(["digits", "other"].map((name) => [name, ready(name)])),
  });
  patchTry("digits", {
    mode: "json",
    json: '{"inputs":[{"name":"image","datatype":"FP32","shape":[1],"data":[3]}]}',
  });
  vi.spyOn(clients.models, "getModel").mockImplementation(async ({ name = "" }) => details(name));
  vi.spyOn(clients.tryIt, "listProviders").mockResolvedValue(
    create(ListProvidersResponseSchema, { providers: [{ id: "webgpu", label: "WebGPU" }] }),
  );
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <CompareButton details={details("digits")} />
      </QueryClientProvider>,
    ),
  );
  return root;
}

const sides = (first: number, second: number) =>
  create(CompareAnswersResponseSchema, {
    first: { model: "digits", version: "1", runsOn: "ONNX Runtime on CPU", medianMs: first },
    second: { model: "digits", version: "1", runsOn: "ONNX Runtime on WebGPU", medianMs: second },
    outputs: [{ name: "scores", absolute: 0.001, cosine: 1, elements: 10n, equal: 2n }],
    runs: 30,
  });

test("a model is compared with itself on another provider, and the call ends with the dialog", async () => {
  let signal: AbortSignal | undefined;
  const compare = vi.spyOn(clients.tryIt, "compareAnswers").mockImplementation((_, options) => {
    signal = options?.signal;
    return Promise.resolve(sides(2, 1));
  });
  const root = await show();
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  const groups = [...document.querySelectorAll("optgroup")].map(({ label }) => label);
  expect(groups).toEqual(["Loaded already", "Loaded once more for the comparison"]);
  const select = document.querySelector("select") as HTMLSelectElement;
  await act(async () => {
    select.value = (document.querySelectorAll("option")[1] as HTMLOptionElement).value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await click("Compare");
  await vi.waitFor(() => expect(document.body.textContent).toContain("ONNX Runtime on WebGPU"));
  expect(compare.mock.lastCall?.[0]).toMatchObject({ model: "digits", provider: "webgpu" });
  expect(document.body.textContent).toContain("The second is 2.0 times faster");
  await act(async () => root.unmount());
  expect(signal?.aborted).toBe(true);
});

test("what is waited for is read, and a small difference is one in percent", async () => {
  let answer: (of: CompareAnswersResponse) => void = () => {};
  vi.spyOn(clients.tryIt, "compareAnswers").mockImplementation(
    () => new Promise((resolve) => (answer = resolve)),
  );
  const root = await show();
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  await click("Compare");
  const words = () => [...document.querySelectorAll("form span")].map(({ textContent }) => textContent);
  await vi.waitFor(() => expect(words()).toContain("Sending the request to both in turn"));
  await act(async () => answer(sides(1.04, 1)));
  await vi.waitFor(() => expect(document.body.textContent).toContain("The second is 4 % faster"));
  await act(async () => root.unmount());
});
