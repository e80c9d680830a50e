import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { GetModelResponseSchema } from "../../api/conch_pb";
import { type Parameters, parametersText } from "../../requests/parameters";
import { getTry, patchTry } from "../../requests/tries";
import { CopyAs } from "./CopyAs";
import { copyAs, languages } from "./snippet";

async function itemsOf(facts: { noCurl?: string; decoupled?: boolean }): Promise<Element[]> {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<CopyAs details={create(GetModelResponseSchema, facts)} />));
  await act(async () =>
    page
      .querySelector("button")
      ?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true })),
  );
  const items = [...document.querySelectorAll("[role=menuitem]")].map(
    (item) => item.cloneNode(true) as Element,
  );
  await act(async () => root.unmount());
  return items;
}

test("a form that cannot ask the model is off, and the menu says why", async () => {
  const shown = async (noCurl: string) =>
    (await itemsOf({ noCurl })).map((item) => [item.textContent, item.hasAttribute("data-disabled")]);
  const others = [
    ["Pythontritonclient", false],
    ["grpcurlKServe over gRPC", false],
  ];
  expect(await shown("")).toEqual([["curlKServe JSON over HTTP", false], ...others]);
  expect(await shown("no sequences there")).toEqual([["curlno sequences there", true], ...others]);
});

test("of a decoupled model the menu says that each form is a stream", async () => {
  expect((await itemsOf({ decoupled: true })).map((item) => item.textContent)).toEqual([
    "curlgenerate_stream over HTTP",
    "Pythontritonclient, a stream over gRPC",
    "grpcurlKServe, a stream over gRPC",
  ]);
});

test("what is copied begins its sequence, though the next request of the form goes on in it", async () => {
  const input = { name: "x", datatype: "INT32", dims: [1n], shape: [1n] };
  const model = { summary: { name: "m" }, inputs: [input], needsSequence: true };
  const snippet = vi.spyOn(clients.tryIt, "snippet").mockRejectedValue(new Error("not now"));
  const sequence = { id: "5", start: false, end: false };
  patchTry("m", { sequence });
  await copyAs(languages[1], create(GetModelResponseSchema, model));
  const { parameters } = snippet.mock.lastCall?.[0].request ?? {};
  expect(parametersText(parameters as Parameters)).toBe('{"sequence_id": 5, "sequence_start": true}');
  expect(getTry("m").sequence).toEqual(sequence);
});
