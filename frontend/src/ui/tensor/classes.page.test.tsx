import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { encode } from "../../lib/tensor";
import { ClassesView } from "./ClassesView";
import { show } from "./source";

test("a class whose share reads 0.000 is counted with the rest", () => {
  const shown = show({
    name: "scores",
    datatype: "FP32",
    shape: [1n, 4n],
    labels: ["a", "b", "c", "d"],
    raw: encode("FP32", [0.9996, 0.0002, 0.0001, 0.0001]),
  });
  const html = renderToStaticMarkup(<ClassesView shown={shown} classes={4} item={0} />);
  expect(html).not.toContain("0.000<");
  expect(html).toContain("3 more classes below 0.001");
});

const winners = (scores: number[]) => {
  const shown = show({
    name: "scores",
    datatype: "FP32",
    shape: [1n, 3n],
    labels: ["a", "b", "c"],
    raw: encode("FP32", scores),
  });
  const html = renderToStaticMarkup(<ClassesView shown={shown} classes={3} item={0} />);
  return html.split('data-best="true"').length - 1;
};

test.each([
  [[0.1, 0.8, 0.1], 1],
  [[0.4, 0.4, 0.2], 0],
  [[7, 7, 7], 0],
  [[1, 2, 2], 0],
  [[-1, 3, 2], 1],
])("of the scores %j, %i is marked as the best", (scores, marked) => expect(winners(scores)).toBe(marked));

test("a score that is not finite is written as what it is, and bars stay within their track", () => {
  const shown = show({
    name: "scores",
    datatype: "FP32",
    shape: [1n, 4n],
    labels: ["a", "b", "c", "d"],
    raw: encode("FP32", [2, Number.POSITIVE_INFINITY, 4, Number.NaN]),
  });
  const html = renderToStaticMarkup(<ClassesView shown={shown} classes={4} item={0} />);
  const scores = [...html.matchAll(/width:([^"]*)"[^>]*><\/i><\/span><span[^>]*>([^<]*)/g)];
  expect(scores.map(([, width, score]) => [score, width])).toEqual([
    ["Infinity", "100%"],
    ["4.00", "100%"],
    ["2.00", "50%"],
    ["NaN", "0%"],
  ]);
  expect(html).toContain("1 NaN, 1 Infinity of 4 values");
});

test("a label stays in the order in which it is written", () => {
  const raw = encode("FP32", [0.9, 0.1]);
  const shown = show({ name: "scores", datatype: "FP32", shape: [1n, 2n], labels: ["a\u202eb", "c"], raw });
  expect(renderToStaticMarkup(<ClassesView shown={shown} classes={2} item={0} />)).toContain(">a\\u202eb<");
});
