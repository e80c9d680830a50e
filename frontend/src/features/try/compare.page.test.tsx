import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
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
  LibraryWordsSchema,
  ListProvidersResponseSchema,
  ModelState,
  ModelSummarySchema,
} from "../../api/conch_pb";
import { patchTry } from "../../requests/tries";
import { enter } from "../../testing/typing";
import { closeDialog, openDialog, useDialogs } from "../../window/dialogs";
import { useWorkspace } from "../../workspace/workspace";
import { CompareButton, CompareDialog } from "./CompareButton";

const ready = (name: string) =>
  create(ModelSummarySchema, {
    name,
    state: ModelState.READY,
    versions: [{ number: 1n, state: ModelState.READY }],
  });

const image = { name: "image", datatype: "FP32", shape: [-1n], dims: [-1n] };
const details = (name: string) => create(GetModelResponseSchema, { summary: ready(name), inputs: [image] });

/** Does something, and lets all that it sets off happen. */
const after = (what: () => void) =>
  act(async () => {
    what();
    await new Promise((done) => setTimeout(done));
  });

const button = (text: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === text);
const click = (text: string) => after(() => button(text)?.click());

afterEach(() => {
  vi.restoreAllMocks();
  closeDialog();
});

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
    create(ListProvidersResponseSchema, {
      providers: [{ id: "webgpu", label: "WebGPU" }],
      absent: [
        { label: "CUDA", why: "the build in use has no CUDA", how: "install one", byBuild: true },
        { label: "TensorRT", why: "tensorrt needs libnvinfer.so.10", how: "get it with: pip install x" },
      ],
    }),
  );
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <CompareButton details={details("digits")} />
        <CompareDialog />
      </QueryClientProvider>,
    ),
  );
  return root;
}

/** Two sides whose usual times reach so far from the median, as a part of it. */
const sides = (first: number, second: number, reach = 0.01) => {
  const times = (ms: number) => ({ medianMs: ms, lowMs: ms * (1 - reach), highMs: ms * (1 + reach) });
  return create(CompareAnswersResponseSchema, {
    first: { model: "digits", version: "1", runsOn: "ONNX on CPU, GPU 0, GPU 1, GPU 2", ...times(first) },
    second: { model: "digits", version: "1", runsOn: "ONNX Runtime on WebGPU", ...times(second) },
    outputs: [{ name: "scores", absolute: 0.001, cosine: 1, elements: 10n, equal: 2n }],
    runs: 30,
  });
};

test("a model is compared with itself on another provider, and the call ends with the dialog", async () => {
  let signal: AbortSignal | undefined;
  const compare = vi.spyOn(clients.tryIt, "compareAnswers").mockImplementation(async function* (_, options) {
    signal = options?.signal;
    yield sides(2, 1);
  });
  const root = await show();
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  const groups = [...document.querySelectorAll("optgroup")].map(({ label }) => label);
  expect(groups).toEqual(["Loaded already", "Loaded once more for the comparison"]);
  const select = document.querySelector("select") as HTMLSelectElement;
  await act(async () => enter(select, (document.querySelectorAll("option")[1] as HTMLOptionElement).value));
  await click("Compare");
  await vi.waitFor(() => expect(document.body.textContent).toContain("ONNX on CPU, 3 GPUs"));
  expect(compare.mock.lastCall?.[0]).toMatchObject({ model: "digits", provider: "webgpu" });
  expect(document.body.textContent).toContain("The second is 2.0 times faster");
  await act(async () => root.unmount());
  expect(signal?.aborted).toBe(true);
});

/** What a comparison tells: it waits for another one, and is answered when a person says so. */
function waiting() {
  let answer: (of: CompareAnswersResponse) => void = () => {};
  const signals: (AbortSignal | undefined)[] = [];
  vi.spyOn(clients.tryIt, "compareAnswers").mockImplementation(async function* (_, options) {
    signals.push(options?.signal);
    yield create(CompareAnswersResponseSchema, { step: "waiting for another one" });
    yield await new Promise<CompareAnswersResponse>((resolve, refuse) => {
      answer = resolve;
      options?.signal?.addEventListener("abort", () => refuse(new Error("ended")));
    });
  });
  return { answer: (of: CompareAnswersResponse) => answer(of), signals };
}

const words = () => [...document.querySelectorAll("form span")].map(({ textContent }) => textContent);

test("what is waited for is read, and a small difference is one in percent", async () => {
  const { answer } = waiting();
  const root = await show();
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  await click("Compare");
  await vi.waitFor(() => expect(words()).toContain("Waiting for another one"));
  await after(() => answer(sides(1.04, 1)));
  await vi.waitFor(() => expect(document.body.textContent).toContain("The second is 4 % faster"));
  await act(async () => root.unmount());
});

test("a difference that is smaller than the spread of the times is none, and the spread is there", async () => {
  const { answer } = waiting();
  const root = await show();
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  await click("Compare");
  await vi.waitFor(() => expect(words()).toContain("Waiting for another one"));
  await after(() => answer(sides(1.08, 1, 0.05)));
  await vi.waitFor(() => expect(document.body.textContent).toContain("No difference that shows"));
  expect(document.body.textContent).not.toContain("faster");
  const times = [...document.querySelectorAll("td small")].map(({ textContent }) => textContent);
  expect(times).toEqual(["1.03 to 1.13", "0.950 to 1.05"]);
  await click("Compare");
  const few = { ...sides(2, 1), runs: 1 };
  for (const side of [few.first, few.second]) if (side) side.lowMs = side.highMs = 0;
  await vi.waitFor(() => expect(words()).toContain("Waiting for another one"));
  await after(() => answer(few));
  const said = "The second was 2.0 times faster, in too few runs to rely on that. Each time is that of 1 run";
  await vi.waitFor(() => expect(document.body.textContent).toContain(said));
  expect(document.body.textContent).not.toContain("usual times");
  await act(async () => root.unmount());
});

test("the version that the request goes to is not offered, and one that the policy leaves out says so", async () => {
  const root = await show();
  const ready = [1n, 2n, 3n].map((number) => ({ number, state: ModelState.READY }));
  const reason = "not served: version_policy is specific 1, 2, 3";
  const versions = [...ready, { number: 4n, state: ModelState.UNLOADED, reason }];
  const digits = create(ModelSummarySchema, { name: "digits", state: ModelState.READY, versions });
  useWorkspace.setState({ models: new Map([["digits", digits]]) });
  const offered = () => [...document.querySelectorAll("option")].map(({ textContent }) => textContent);
  const whole = create(GetModelResponseSchema, { summary: digits, inputs: [image] });
  vi.mocked(clients.models.getModel).mockResolvedValue(whole);
  for (const [version, others] of [
    [0n, ["digits, version 1", "digits, version 2", "digits on WebGPU"]],
    [2n, ["digits, version 1", "digits, version 3", "digits on WebGPU"]],
  ] as const) {
    patchTry("digits", { version });
    await act(async () =>
      root.render(
        <QueryClientProvider client={new QueryClient()} key={`${version}`}>
          <CompareButton details={whole} />
          <CompareDialog />
        </QueryClientProvider>,
      ),
    );
    await click("Compare…");
    await vi.waitFor(() => expect(offered()).toEqual(others));
    expect(document.body.textContent).toContain(`Version 4: ${reason}.`);
  }
  patchTry("digits", { version: 0n });
  await act(async () => root.unmount());
});

test("a comparison that waits is ended without an error, and another one begins", async () => {
  const { answer, signals } = waiting();
  const root = await show();
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  await click("Compare");
  await vi.waitFor(() => expect(words()).toContain("Waiting for another one"));
  const at = () => document.activeElement?.textContent;
  await after(() => button("Compare")?.focus());
  await click("Compare"); // it keeps the focus, and begins nothing
  expect([at(), button("Compare")?.disabled, signals.length]).toEqual(["Compare", false, 1]);
  await click("Cancel");
  expect([at(), signals[0]?.aborted]).toEqual(["Compare", true]);
  expect(words()).not.toContain("Waiting for another one");
  expect(document.body.textContent).not.toContain("The answers were not compared");
  await click("Compare");
  await vi.waitFor(() => expect(words()).toContain("Waiting for another one"));
  await after(() => answer(sides(2, 1)));
  await vi.waitFor(() => expect(document.body.textContent).toContain("The second is 2.0 times faster"));
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  await act(async () => root.unmount());
});

test("where a library says no, people read a sentence, and its words are there for those who ask", async () => {
  const raw = "/onnxruntime_src/core/webgpu_context.cc:136 Failed to get a WebGPU adapter";
  const said = { desc: LibraryWordsSchema, value: { library: "ONNX Runtime", text: raw } };
  const sentence = "digits was not loaded with WebGPU, which found no graphics adapter";
  vi.spyOn(clients.tryIt, "compareAnswers").mockImplementation(() => {
    throw new ConnectError(sentence, Code.FailedPrecondition, undefined, [said]);
  });
  const root = await show();
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  await click("Compare");
  const alert = await vi.waitFor(() => document.querySelector("[role=alert]") as HTMLElement);
  expect(alert.querySelector("[class*=message]")?.textContent).toBe(sentence);
  const details = alert.querySelector("details") as HTMLDetailsElement;
  expect(details.open).toBe(false);
  expect(details.textContent).toBe(`What ONNX Runtime said${raw}`);
  await act(async () => root.unmount());
});

test("only models that take the request as it stands are offered, and the rest says why not", async () => {
  const root = await show();
  vi.spyOn(clients.models, "getModel").mockImplementation(async ({ name = "" }) =>
    create(GetModelResponseSchema, { summary: ready(name), inputs: [{ ...image, shape: [2n] }] }),
  );
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(1));
  const said = document.body.textContent;
  expect(said).toContain("1 other model does not take this request");
  expect(said).toContain("other: its input image has the shape [2], not [1]");
  expect(said).toContain("CUDA is not offered. The build in use has no CUDA. Install one.");
  expect(said).toMatch(/TensorRT is not offered. .*libnvinfer\.so\.10.*Get it with: pip install x\./);
  await click("ONNX Runtime…");
  expect(useDialogs.getState().open).toBe("runtimes");
  await act(async () => root.unmount());
});

test("a request that cannot be read yet is taken for one without what may be left out", async () => {
  const root = await show();
  patchTry("digits", { json: "{" });
  const mask = { name: "mask", datatype: "BOOL", shape: [-1n], optional: true };
  const masked = create(GetModelResponseSchema, { summary: ready("digits"), inputs: [image, mask] });
  vi.mocked(clients.models.getModel).mockImplementation(async ({ name = "" }) =>
    name === "digits" ? masked : details(name),
  );
  await click("Compare…");
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  await act(async () => root.unmount());
});

test("the palette asks for the comparison without an answer, and a decoupled model says that it has none", async () => {
  const root = await show();
  await after(() => openDialog("compareAnswers", "digits"));
  await vi.waitFor(() => expect(document.querySelectorAll("option")).toHaveLength(2));
  await after(closeDialog);
  vi.mocked(clients.models.getModel).mockResolvedValue(
    create(GetModelResponseSchema, { summary: ready("stream"), decoupled: true }),
  );
  await after(() => openDialog("compareAnswers", "stream"));
  await vi.waitFor(() =>
    expect(document.body.textContent).toContain("stream may answer a request with several responses"),
  );
  await act(async () => root.unmount());
});
