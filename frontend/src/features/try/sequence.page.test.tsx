import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GetModelResponseSchema, InferRequestSchema } from "../../api/conch_pb";
import { asJson, fromJson } from "../../requests/json";
import { afterAnswer, parametersText, written } from "../../requests/parameters";
import { buildRequest } from "../../requests/request";
import { formOf, getTry, patchTry, useTries } from "../../requests/tries";
import { enter } from "../../testing/typing";
import { RequestForm } from "./RequestForm";

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
