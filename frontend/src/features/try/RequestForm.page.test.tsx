import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type GetModelResponse, GetModelResponseSchema } from "../../api/conch_pb";
import { encode } from "../../lib/tensor";
import { asJson } from "../../requests/json";
import { buildRequest, InputsError, requestSoFar } from "../../requests/request";
import { getTry, patchTry, tryOf, useTries } from "../../requests/tries";
import { enter } from "../../testing/typing";
import { RequestForm } from "./RequestForm";
import { Response } from "./Response";
import { showInput } from "./showInput";

type Input = readonly [name: string, datatype: string, dims: readonly number[], optional?: boolean];

function model(maxBatchSize: number, ...inputs: Input[]): GetModelResponse {
  return create(GetModelResponseSchema, {
    summary: { name: "m" },
    maxBatchSize,
    inputs: inputs.map(([name, datatype, list, optional]) => {
      const dims = list.map(BigInt);
      return { name, datatype, dims, shape: maxBatchSize > 0 ? [-1n, ...dims] : dims, optional };
    }),
  });
}

let root: Root;

beforeEach(() => {
  root = createRoot(document.body.appendChild(document.createElement("div")));
});

afterEach(async () => {
  await act(async () => root.unmount());
  useTries.setState({ byModel: {} });
});

const show = (details: GetModelResponse) =>
  act(async () => root.render(<RequestForm model="m" details={details} />));

const field = (label: string) => {
  const found = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[aria-label="${label}"]`);
  const labels = [...document.querySelectorAll("label")];
  const inLabel = labels.find((one) => one.textContent === label)?.querySelector("input");
  const box = found ?? inLabel;
  if (!box) throw new Error(`there is no field ${label}`);
  return box;
};

const type = (label: string, text: string) => act(async () => enter(field(label), text));

const press = (name: string) =>
  act(async () => [...document.querySelectorAll("button")].find((b) => b.textContent === name)?.click());

const alerts = () => [...document.querySelectorAll("[role=alert]")].map((element) => element.textContent);

test("a field of one value asks for one value, others for a list", async () => {
  await show(model(0, ["one", "FP32", [1]], ["many", "FP32", [3]]));
  expect(field("Values of one").placeholder).toBe("1 value");
  expect(field("Values of many").placeholder).toBe("3 values, as a list: [1, 2, …]");
});

test("a plain list fills the only open dimension of each row", async () => {
  const details = model(8, ["tokens", "INT64", [-1]], ["fixed", "INT64", [3]]);
  await show(details);
  await type("Values of tokens", "1 2 3");
  await type("Values of fixed", "4 5 6");
  expect(await shapes(details)).toEqual([
    [1, 3],
    [1, 3],
  ]);
  await type("Values of tokens", "1 2 3 4 5");
  expect((await shapes(details))[0]).toEqual([1, 5]);
  await type("Values of tokens", "[[1, 2], [3, 4]]"); // rows that are written as such are rows
  expect(alerts()).toEqual(["2 rows for a batch of 1"]);
});

test("the ways to give an input have one order; the shape says which is chosen", async () => {
  const offered = (name: string) =>
    [...document.querySelectorAll(`[aria-label="How to give ${name}"] button`)].map(
      (one) => `${one.textContent}${one.getAttribute("aria-checked") === "true" ? " *" : ""}`,
    );
  const inputs: Input[] = [
    ["photo", "FP32", [3, 224, 224]],
    ["page", "UINT8", [28, 28]],
    ["text", "BYTES", [4]],
    ["list", "INT32", [5]],
  ];
  await show(model(0, ...inputs));
  expect(offered("photo")).toEqual(["Values", "File *", "Draw", "Random"]);
  expect(offered("page")).toEqual(["Values", "File", "Draw *", "Random"]);
  expect(offered("text")).toEqual(["Text *", "File", "Random"]);
  expect(offered("list")).toEqual(["Values *", "File", "Random"]);
});

const shapes = async (details: GetModelResponse) =>
  (await buildRequest(details, getTry("m"))).inputs.map(({ shape }) => shape.map(Number));

test("one batch size holds for all inputs, and only a number is taken", async () => {
  const details = model(8, ["a", "FP32", [1]], ["b", "INT32", [2]]);
  await show(details);
  await type("Batch size", "3");
  expect(await shapes(details)).toEqual([
    [3, 1],
    [3, 2],
  ]);
  await type("Batch size", "-5");
  expect(alerts()).toEqual(["Batch size is -5: type a whole number, 1 or more"]);
  expect(field("Batch size").value).toBe("-5");
  await expect(shapes(details)).rejects.toThrow("Batch size is -5");
  await type("Batch size", "9");
  expect(document.body.textContent).toContain("The model's max_batch_size is 8");
});

test("a dimension that is not a number is an error, and stays as it was typed", async () => {
  const details = model(0, ["ids", "INT64", [-1, -1]]);
  await show(details);
  await type("Dimension 2 of ids", "abc");
  expect(alerts()).toEqual(['Dimension 2 is "abc": type a whole number, 0 or more']);
  expect(field("Dimension 2 of ids").value).toBe("abc");
  await expect(shapes(details)).rejects.toThrow('Input "ids": Dimension 2 is "abc"');
  await type("Dimension 2 of ids", "-5");
  expect(alerts()).toEqual(["Dimension 2 is -5: type a whole number, 0 or more"]);
  await type("Dimension 2 of ids", "3");
  expect(await shapes(details)).toEqual([[1, 3]]);
});

test("open dimensions follow what is typed", async () => {
  const details = model(0, ["ids", "INT64", [-1, -1]]);
  await show(details);
  await type("Values of ids", "[[1, 2, 3]]");
  expect(field("Dimension 2 of ids").value).toBe("3");
  expect(await shapes(details)).toEqual([[1, 3]]);
});

test("inputs of one value are lines: text without quotes, a menu for the other ways", async () => {
  const details = model(8, ["text", "BYTES", [1]], ["best_of", "INT32", [1]]);
  await show(details);
  await type("Values of text", "hello");
  const value = (await buildRequest(details, getTry("m"))).inputs[0]?.data.value as Uint8Array;
  expect(new TextDecoder().decode(value.subarray(4))).toBe("hello");
  expect(document.querySelectorAll("[role=group]")).toHaveLength(0);
  await type("Values of text", '["hello"]');
  expect(document.body.textContent).toContain("Read as JSON: 1 string");
  await press("Send as plain text");
  expect(document.body.textContent).toContain("Read as plain text: one string of 9 bytes");
});

test("fewer rows than the batch are told, and repeated when that is asked for", async () => {
  const details = model(8, ["a", "FP32", [1]], ["b", "FP32", [1]]);
  await show(details);
  await type("Values of a", "0.5");
  await type("Values of b", "0.6");
  await type("Batch size", "2");
  expect(alerts()).toEqual(["1 value for a batch of 2", "1 value for a batch of 2"]);
  expect(document.body.textContent).toContain("2 inputs hold fewer rows");
  const about = document.getElementById(field("Values of a").getAttribute("aria-describedby") ?? "");
  expect(about?.textContent).toContain("1 value for a batch of 2"); // heard with the field
  await press("Repeat their rows");
  expect(alerts()).toEqual([]);
  expect(document.body.textContent).toContain("Sent 2 times, once for each row of the batch");
  await type("Values of a", "[1, 2, 3]");
  await press("Set the batch size to 3");
  expect(getTry("m").batch).toBe(3);
});

test("an optional input is left out until it is chosen", async () => {
  const details = model(8, ["a", "FP32", [1]], ["bad_words", "BYTES", [-1], true]);
  await show(details);
  expect(document.querySelector("[aria-label='Input bad_words']")?.textContent).toContain("not sent");
  expect(await shapes(details)).toHaveLength(1);
  await act(async () => field("Send bad_words").click());
  expect(await shapes(details)).toHaveLength(2);
});

test("an empty drawing is a mistake only after it was sent; the empty page can be sent on purpose", async () => {
  const details = model(0, ["image", "UINT8", [28, 28]]);
  await show(details);
  expect(alerts()).toEqual([]);
  await expect(shapes(details)).rejects.toThrow(InputsError);
  await act(async () =>
    patchTry("m", { answer: { at: 1, failure: new InputsError([{ input: "image", message: "Nothing" }]) } }),
  );
  expect(alerts()).toEqual(["Nothing is drawn yet: draw with the mouse, or use the empty page"]);
  await press("Use empty page");
  expect(document.body.textContent).toContain("The page is empty: every value is the same");
  expect(await shapes(details)).toEqual([[28, 28]]);
});

test("names of others are text, and an input without a type says so", async () => {
  await show(model(4, ["<img src=x onerror=alert(1)>", "FP32", [4]], ["no_type", "", [2]]));
  expect(document.querySelector("img")).toBeNull();
  expect(document.body.textContent).toContain("<img src=x onerror=alert(1)>");
  expect(alerts()).toEqual([
    "The config gives this input no data type that exists: correct data_type in the config",
  ]);
});

test("the JSON of a form keeps what is complete, and names what is not", async () => {
  const details = model(
    0,
    ["a", "FP32", [2]],
    ["image", "UINT8", [28, 28]],
    ["large", "FP32", [400, 400, 3]],
  );
  await show(details);
  await type("Values of a", "[1, 2]");
  const { inputs } = JSON.parse(asJson(await requestSoFar(details, getTry("m"))));
  expect(inputs).toEqual([
    { name: "a", datatype: "FP32", shape: [2], data: [1, 2] },
    { name: "image", datatype: "UINT8", shape: [28, 28], data: [] },
    { name: "large", datatype: "FP32", shape: [400, 400, 3], data: [] },
  ]);
});

test("all wrong inputs are named, the first gets the focus, and each is a click away", async () => {
  const details = model(0, ["a", "FP32", [2]], ["b", "FP32", [2]], ["c", "INT8", [1]]);
  await show(details);
  await type("Values of a", "[1, 2]");
  await type("Values of b", "[1]");
  await type("Values of c", "999");
  const failure = await buildRequest(details, getTry("m")).catch((error) => error);
  expect(failure.problems.map(({ input }: { input: string }) => input)).toEqual(["b", "c"]);
  await act(async () => patchTry("m", { answer: { at: 1, failure } }));
  expect(document.activeElement).toBe(field("Values of b"));
  await act(async () => showInput("c"));
  expect(document.activeElement).toBe(field("Values of c"));
});

function Pane({ details }: { readonly details: GetModelResponse }) {
  const { answer } = useTries(tryOf("m"));
  return (
    <>
      <RequestForm model="m" details={details} />
      <Response model="m" answer={answer} running={undefined} />
    </>
  );
}

const answered = () => document.querySelector("[aria-label=Response]")?.textContent ?? "";

/** Tries to build the request, which fails. */
const refuse = (details: GetModelResponse) =>
  act(async () => {
    const failure = await buildRequest(details, getTry("m")).catch((error) => error);
    patchTry("m", { answer: { at: Date.now(), failure } });
  });

test("the answer no longer tells of an input, or of the batch, once it is right", async () => {
  const details = model(8, ["a", "FP32", [2]], ["b", "FP32", [2]], ["c", "INT8", [2], true]);
  await act(async () => root.render(<Pane details={details} />));
  await act(async () => field("Send c").click());
  for (const [name, wrong] of Object.entries({ a: "[1]", b: "[1]", c: "[999, 1]" }))
    await type(`Values of ${name}`, wrong);
  await refuse(details);
  expect(answered()).toMatch(/^AnswerNothing was sent: 3 inputs are wrong/); // at no time
  await act(async () => field("Values of a").focus());
  await type("Values of a", "[1, 2, 3]");
  expect(answered()).toContain("3 inputs are wrong"); // it is wrong in another way
  await type("Values of a", "[1, 2]");
  expect(answered()).toContain("Nothing was sent: 2 inputs are wrong");
  expect(answered()).not.toContain("a FP32");
  expect(document.activeElement).toBe(field("Values of a")); // where it was typed, not in the next wrong one
  await act(async () => field("Send c").click());
  await type("Values of b", "[1, 2]");
  expect(answered()).toBe("AnswerNothing was sent yet. Send the request again.");
  await type("Batch size", "2"); // for which a and b hold too little
  expect(document.body.textContent).toContain("hold fewer rows");
  expect(answered()).not.toContain("can be sent now");
  await type("Batch size", "-5");
  await refuse(details);
  expect(answered()).toContain("Batch size is -5");
  await type("Batch size", "1");
  expect(answered()).not.toContain("-5");
});

test("a file whose mistake shows only when it is sent stays in the answer until another is chosen", async () => {
  const details = model(0, ["a", "UINT8", [1]]);
  await act(async () => root.render(<Pane details={details} />));
  const draft = { shape: [1], skip: false, source: "file" as const };
  const file = (name: string, value: number) => {
    const array = { datatype: "INT32", shape: [1], raw: encode("INT32", [value]) };
    return { kind: "npy" as const, name, size: 4, array };
  };
  const choose = (name: string, value: number) =>
    act(async () => patchTry("m", { inputs: { a: { ...draft, files: [file(name, value)] } } }));
  await choose("large.npy", 999);
  await refuse(details);
  expect(answered()).toContain("large.npy holds INT32");
  await choose("small.npy", 9);
  expect(answered()).not.toContain("large.npy");
});
