import { create } from "@bufbuild/protobuf";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { OutputAgreementSchema } from "../api/conch_pb";
import { Agreement } from "./Agreement";

test("each output says what is the same of it: values, and rows only where it may be scores", () => {
  const outputs = [
    { name: "scores", elements: 20n, equal: 3n, rows: 2n, sameRows: 1n },
    { name: "label", elements: 2n, equal: 2n },
  ].map((of) => create(OutputAgreementSchema, of));
  const page = document.createElement("div");
  page.innerHTML = renderToStaticMarkup(<Agreement outputs={outputs} />);
  const last = [...page.querySelectorAll("tr")].map((row) => row.lastElementChild?.textContent);
  expect(last).toEqual(["Same values", "3 of 20largest in place in 1 of 2 rows", "2 of 2"]);
});

test("texts, and no values at all, have no difference in numbers", () => {
  const outputs = [
    { name: "label", datatype: "BYTES", elements: 3n, equal: 2n, cosine: Number.NaN },
    { name: "boxes", datatype: "FP32", cosine: Number.NaN },
    { name: "zeros", datatype: "FP32", elements: 2n, equal: 2n, cosine: Number.NaN },
  ].map((of) => create(OutputAgreementSchema, of));
  const page = document.createElement("div");
  page.innerHTML = renderToStaticMarkup(<Agreement outputs={outputs} />);
  const cells = [...page.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.textContent),
  );
  expect(cells).toEqual([
    ["–", "–", "–", "2 of 3"],
    ["–", "–", "–", "0 of 0"],
    ["0", "0", "–", "2 of 2"],
  ]);
});
