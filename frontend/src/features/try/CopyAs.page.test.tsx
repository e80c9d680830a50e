import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { GetModelResponseSchema } from "../../api/conch_pb";
import { CopyAs } from "./CopyAs";

async function itemsOf(noCurl: string): Promise<Element[]> {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<CopyAs details={create(GetModelResponseSchema, { noCurl })} />));
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
    (await itemsOf(noCurl)).map((item) => [item.textContent, item.hasAttribute("data-disabled")]);
  const others = [
    ["Pythontritonclient", false],
    ["grpcurlKServe over gRPC", false],
  ];
  expect(await shown("")).toEqual([["curlKServe JSON over HTTP", false], ...others]);
  expect(await shown("no sequences there")).toEqual([["curlno sequences there", true], ...others]);
});
