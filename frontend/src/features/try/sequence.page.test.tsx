import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  GetModelResponseSchema,
  InferRequestSchema,
  InferResponseSchema,
  ModelSummarySchema,
} from "../../api/conch_pb";
import { keys, queryClient } from "../../api/queries";
import { asJson, fromJson } from "../../requests/json";
import { afterAnswer, type Parameters, parametersText, written } from "../../requests/parameters";
import { buildRequest } from "../../requests/request";
import { bringBackTry, forgetTries, formOf, getTry, loadTry, patchTry, useTries } from "../../requests/tries";
import { enter } from "../../testing/typing";
import { useWorkspace } from "../../workspace/workspace";
import { RequestForm } from "./RequestForm";
import { Response } from "./Response";
import { send } from "./send";

const input = { name: "x", datatype: "FP32", dims: [1n], shape: [1n] };
const details = create(GetModelResponseSchema, { summary: { name: "m" }, inputs: [input] });
const needy = create(GetModelResponseSchema, { ...details, needsSequence: true });

const page = document.body.appendChild(document.createElement("div"));
let root: Root;

beforeEach(() => {
  root = createRoot(page);
});

afterEach(async () => {
  await act(async () => root.unmount());
  useTries.setState({ byModel: {} });
  useWorkspace.setState({ models: new Map() });
});

const show = (model: typeof details) =>
  act(async () => root.render(<RequestForm model="m" details={model} />));

const field = (label: string) =>
  [...page.querySelectorAll("label")]
    .find((one) => one.textContent === label)
    ?.querySelector("input") as HTMLInputElement;

const type = (box: HTMLInputElement | HTMLTextAreaElement, text: string) => act(async () => enter(box, text));

const fill = () => type(page.querySelector('[aria-label="Values of x"]') as HTMLTextAreaElement, "1");

test("a model that needs sequences has a line for them", async () => {
  await show(needy);
  await fill();
  const sent = async () => parametersText((await buildRequest(needy, getTry("m"))).parameters);
  expect(await sent()).toBe('{"sequence_id": 1, "sequence_start": true}');
  await type(field("Sequence"), "12");
  await act(async () => field("first request").click());
  await act(async () => field("last request").click());
  expect(await sent()).toBe('{"sequence_id": 12, "sequence_end": true}');
  await type(field("Sequence"), "0");
  expect(page.querySelector("[role=alert]")?.textContent).toContain("a number other than 0");
  await show(details);
  expect(field("Sequence")).toBeUndefined();
});

test("where correlation IDs are texts, those of digits are sent as texts too, and 0 is one", async () => {
  const texts = create(GetModelResponseSchema, { ...needy, textSequence: true });
  await show(texts);
  await fill();
  const sent = async () => parametersText((await buildRequest(texts, getTry("m"))).parameters);
  expect(await sent()).toBe('{"sequence_id": "1", "sequence_start": true}');
  await type(field("Sequence"), "0");
  expect(page.querySelector("[role=alert]")).toBeNull();
  expect(await sent()).toBe('{"sequence_id": "0", "sequence_start": true}');
  await type(field("Sequence"), "");
  expect(page.querySelector("[role=alert]")?.textContent).toBe("A sequence needs a correlation ID");
});

test("the field of a correlation ID has room for all of a UUID", async () => {
  await show(needy);
  expect(field("Sequence").size).toBe(8);
  await type(field("Sequence"), "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  expect(field("Sequence").size).toBeGreaterThanOrEqual(36);
});

test("after a load the next request is the first of its sequence again", async () => {
  const load = (loaded: bigint) =>
    act(async () =>
      useWorkspace.setState({ models: new Map([["m", create(ModelSummarySchema, { name: "m", loaded })]]) }),
    );
  await load(1000n);
  await show(needy);
  await act(async () => patchTry("m", { sequence: afterAnswer(getTry("m").sequence, 1000n) }));
  expect(field("first request").checked).toBe(false);
  await load(0n); // the engine is being started again
  expect(field("first request").checked).toBe(false);
  await load(2000n);
  expect(field("first request").checked).toBe(true);
  await act(async () => field("first request").click()); // a person knows better
  expect(getTry("m").sequence).toMatchObject({ start: false });
  await act(async () => root.render(null));
  await load(3000n);
  await show(needy);
  expect(getTry("m").sequence).toMatchObject({ start: true });
});

test("a request of before a load that comes back from the history is the first of its sequence again", async () => {
  const parameters = { ...written({ sequence_id: 7 }) };
  const back = async (at: number) => {
    await act(async () => loadTry(create(InferRequestSchema, { model: "m", parameters }), at, undefined));
    await show(needy);
    return { ...getTry("m").sequence };
  };
  await act(async () =>
    useWorkspace.setState({
      models: new Map([["m", create(ModelSummarySchema, { name: "m", loaded: 1000n })]]),
    }),
  );
  expect(await back(2000)).toMatchObject({ id: "7", start: false }); // its sequence goes on
  expect(await back(500)).toMatchObject({ id: "7", start: true });
});

test("after a refusal because the server does not know the sequence, the next request begins it", async () => {
  const words = (why: string) => `inference request for sequence 5 to model 'm' ${why}`;
  const sent = { id: "5", start: false, end: true };
  const ended = words("must specify the START flag on the first request of the sequence");
  const infer = vi.spyOn(clients.tryIt, "infer");
  for (const [error, start] of [
    [words("must have a batch size of 1"), false],
    [ended, true],
  ] as const) {
    infer.mockImplementation(async function* () {
      yield create(InferResponseSchema, { error });
    });
    await act(async () => patchTry("m", { sequence: sent }));
    await show(needy);
    await fill();
    await act(async () => send(needy));
    expect(getTry("m").answer?.response?.error).toBe(error);
    expect(getTry("m").sequence).toEqual({ ...sent, start });
  }
});

test("a refused request offers to begin a new sequence, and says why the old one may be gone", async () => {
  const error =
    "inference request for sequence 5 to model 'm' must specify the START flag on the first request";
  const sent: string[] = [];
  vi.spyOn(clients.tryIt, "infer").mockImplementation(async function* ({ parameters = {} }) {
    sent.push(parametersText(parameters as Parameters));
    yield create(InferResponseSchema, sent.length === 1 ? { error } : { ok: true });
  });
  const told = (sequenceIdleUs: bigint) =>
    act(async () =>
      queryClient.setQueryData(
        [...keys.model("m"), "details"],
        create(GetModelResponseSchema, { ...needy, sequenceIdleUs }),
      ),
    );
  await told(0n);
  patchTry("m", { sequence: { id: "5", start: false, end: false } });
  await show(needy);
  await fill();
  await act(async () => send(needy));
  await act(async () => patchTry("m", { sequence: { ...getTry("m").sequence, start: false } })); // by hand
  const answer = () => (
    <QueryClientProvider client={queryClient}>
      <Response model="m" answer={getTry("m").answer} running={undefined} />
    </QueryClientProvider>
  );
  const button = () =>
    [...page.querySelectorAll("button")].find((one) => one.textContent === "Start a new sequence");
  await act(async () => root.render(answer()));
  expect(page.textContent).toContain("longer than max_sequence_idle_microseconds: 1 s where the config");
  await told(15_000_000n);
  await vi.waitFor(() =>
    expect(page.textContent).toContain("next request longer than 15 s, the model's max_sequence_idle"),
  );
  await told(250_000n);
  await vi.waitFor(() => expect(page.textContent).toContain("next request longer than 250 ms, the model's"));
  await act(async () => button()?.click());
  expect(sent).toEqual(['{"sequence_id": 5}', '{"sequence_id": 5, "sequence_start": true}']);
  await act(async () => root.render(answer()));
  expect(button()).toBeUndefined();
});

test("parameters that were typed as JSON are told, and can be left out", async () => {
  const parameters = { ...written({ priority: 2 }) };
  const json = asJson(create(InferRequestSchema, { id: "first", parameters }));
  const { inputs: _, ...beside } = formOf(await fromJson("m", json));
  patchTry("m", beside);
  await show(details);
  await fill();
  expect(page.textContent).toContain('Also sent: id "first" and parameters {"priority": 2}');
  expect(await buildRequest(details, getTry("m"))).toMatchObject({ id: "first", parameters });
  await act(async () => page.querySelector("button")?.click());
  expect(await buildRequest(details, getTry("m"))).toMatchObject({ id: "", parameters: {} });
});

test("a sequence that was typed as JSON is told and sent where the model needs none, and is no second one where it does", async () => {
  const parameters = { ...written({ sequence_id: 7, sequence_start: true }) };
  const { inputs: _, ...beside } = formOf(create(InferRequestSchema, { parameters }));
  patchTry("m", beside);
  await show(details);
  await fill();
  expect(page.textContent).toContain('Also sent: parameters {"sequence_id": 7, "sequence_start": true}');
  expect((await buildRequest(details, getTry("m"))).parameters).toEqual(parameters);
  await show(needy);
  expect(page.textContent).not.toContain("Also sent");
  await act(async () => field("first request").click());
  expect(parametersText((await buildRequest(needy, getTry("m"))).parameters)).toBe('{"sequence_id": 7}');
});

test("a request that comes back after a reload is the first of its sequence where the server did not know that", async () => {
  const request = create(InferRequestSchema, { model: "m", parameters: written({ sequence_id: 7 }) });
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue({ entries: [{ id: 1n }] } as never);
  const back = async (error: string) => {
    const response = create(InferResponseSchema, { error });
    vi.spyOn(clients.tryIt, "getHistory").mockResolvedValue({ request, response } as never);
    forgetTries();
    await bringBackTry("m");
    return getTry("m").sequence;
  };
  expect(await back("the model is not ready")).toMatchObject({ id: "7", start: false });
  expect(await back("sequence 7 must specify the START flag")).toMatchObject({ id: "7", start: true });
});

test("a correlation ID of digits that was sent as a text stays one, until another is typed", async () => {
  const parameters = { ...written({ sequence_id: "12", sequence_start: true }) };
  const { inputs: _, ...beside } = formOf(create(InferRequestSchema, { parameters }));
  patchTry("m", beside);
  await show(needy);
  await fill();
  const sent = async () => parametersText((await buildRequest(needy, getTry("m"))).parameters);
  expect(await sent()).toBe('{"sequence_id": "12", "sequence_start": true}');
  await act(async () => patchTry("m", { sequence: afterAnswer(getTry("m").sequence) }));
  expect(await sent()).toBe('{"sequence_id": "12"}');
  await type(field("Sequence"), "13");
  expect(await sent()).toBe('{"sequence_id": 13}');
});
