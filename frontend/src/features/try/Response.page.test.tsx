import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { type InferResponse, InferResponseSchema, ModelState, ModelSummarySchema } from "../../api/conch_pb";
import { encode } from "../../lib/tensor";
import { InputsError } from "../../requests/request";
import { useWorkspace } from "../../workspace/workspace";
import { Response } from "./Response";

const at = new Date().setHours(14, 3, 52, 0); // today: of another day the date is shown

function shown(answer: {
  response?: InferResponse;
  parts?: readonly InferResponse[];
  failure?: unknown;
}): string {
  return renderToStaticMarkup(<Response model="digits" answer={{ at, ...answer }} running={undefined} />);
}

const labels = ["zero", "one", "<b>two</b>"];
const digits = create(InferResponseSchema, {
  ok: true,
  modelVersion: "3",
  outputs: [
    {
      name: "probabilities",
      datatype: "FP32",
      shape: [1n, 3n],
      raw: encode("FP32", [0.1, 0.2, 0.7]),
      labels,
    },
  ],
  timings: {
    queueNs: 40_000n,
    inputNs: 30_000n,
    inferNs: 310_000n,
    outputNs: 50_000n,
    totalNs: 430_000n,
    roundTripNs: 900_000n,
  },
});

it("shows classes with their labels, best first, and the times", () => {
  const html = shown({ response: digits });
  expect(html).toContain("14:03:52 · 900 µs · version 3");
  expect(html).toContain(
    "900 µs in all: queue 40.0 µs, input 30.0 µs, inference 310 µs, output 50.0 µs, workbench and transport 470 µs",
  );
  expect(html.indexOf("0.700")).toBeLessThan(html.indexOf("0.200"));
  expect(html).toContain("FP32 [1, 3]");
});

it("shows each part of a time in the unit that fits it", () => {
  const timings = {
    inferNs: 1_426_000_000n,
    outputNs: 2_140n,
    totalNs: 1_426_002_140n,
    roundTripNs: 3_192_000_000n,
  };
  const html = shown({ response: create(InferResponseSchema, { ok: true, timings }) });
  const words = html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  expect(words).toContain("inference 1.43 s output 2.14 µs workbench and transport 1.77 s = 3.19 s");
});

it("treats what a model says as text", () => {
  expect(shown({ response: digits })).not.toContain("<b>two</b>");
});

it("says of a process that ended that it is started again, with the way to its log", () => {
  const error = "Stub process 'm_0' is not healthy. Its process ended with exit status 3";
  const html = shown({ response: create(InferResponseSchema, { error, errorCode: "INTERNAL" }) });
  expect(html).toContain("Conch starts it again");
  expect(html).toContain("Show the log");
});

it("passes the engine's words on", () => {
  const error = "unexpected shape for input 'image' for model 'digits'. Expected [-1,64], got [1,63]";
  const html = shown({ response: create(InferResponseSchema, { error, errorCode: "INVALID_ARGUMENT" }) });
  expect(html).toContain("The engine refused the request");
  expect(html).toContain("Unexpected shape for input");
});

it("does not call the error of a program a refusal", () => {
  const error = "Failed to process the request(s) for model 'digits_0', message: ValueError: no anchors";
  const html = shown({ response: create(InferResponseSchema, { error, errorCode: "INTERNAL" }) });
  expect(html).toContain("The request failed");
  expect(html).not.toContain("refused");
});

it("does not call the error of a stream, which has no code, a refusal, and waits for no answer after it", () => {
  const response = create(InferResponseSchema, { error: "no anchors", decoupled: true });
  const html = shown({ response, parts: [] });
  expect(html).toContain("The request failed");
  expect(html).not.toContain("No answer has come yet");
});

it("does not call a missing answer a refusal", () => {
  const error = "The engine has not answered for 15 s, so the request was ended.";
  const html = shown({ response: create(InferResponseSchema, { error, unanswered: true }) });
  expect(html).toContain("No answer came");
  expect(html).toContain(error);
  expect(html).not.toContain("refused");
});

it("says why nothing was sent", () => {
  const unsent = shown({ failure: new Error('Input "x": 3 values') });
  expect(unsent).toContain("Nothing was sent");
  expect(unsent).not.toContain('role="status"'); // a time
  const refused = shown({ failure: new ConnectError("the engine is starting", Code.FailedPrecondition) });
  expect(refused).toContain("The engine is starting");
  expect(refused).toContain('role="status"');
});

it("names every input that is wrong", () => {
  const problems = [
    { input: "a", message: "no value" },
    { input: "<b>", message: "3 values" },
  ];
  const html = shown({ failure: new InputsError(problems) });
  expect(html).toContain("Nothing was sent: 2 inputs are wrong");
  expect(html).toContain("&lt;b&gt;</button> 3 values");
  const unfilled = { input: "a", message: "INT32 [1] takes 1 value: type it", empty: true }; // as the form says
  expect(shown({ failure: new InputsError([unfilled]) })).toContain("a</button> nothing was given yet</li>");
});

it("marks an answer that came before the model was loaded again", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const show = async (loaded: number, state = ModelState.READY, response = digits) => {
    const digitsNow = create(ModelSummarySchema, { name: "digits", state, loaded: BigInt(loaded) });
    await act(async () => useWorkspace.setState({ models: new Map([["digits", digitsNow]]) }));
    const answer = { at, response };
    await act(async () => root.render(<Response model="digits" answer={answer} running={undefined} />));
    return page.querySelector("[role=note]")?.textContent;
  };
  expect(await show(at - 60_000)).toBeUndefined();
  expect(await show(at + 0)).toBeUndefined(); // it was loaded while the request was on its way
  const mark =
    "Answered by version 3 before the model was loaded at 14:04:52. Send it again to ask what serves now.";
  expect(await show(at + 60_000)).toBe(mark);
  expect(await show(at + 60_000, ModelState.OLDER_SERVES)).toBe(mark); // a later reload failed
  const none = create(InferResponseSchema, { error: "The engine ended.", unanswered: true });
  expect(await show(at + 60_000, ModelState.READY, none)).toBeUndefined();
  const lost = create(InferResponseSchema, { error: "Its answer is lost", stopped: true, timings: {} });
  expect(await show(at + 60_000, ModelState.READY, lost)).toBeUndefined();
  expect(page.textContent).toMatch(/Its answer is lost\.$/);
  expect(await show(at + 60_000, ModelState.UNLOADED)).toBeUndefined();
  await act(async () => root.unmount());
});
