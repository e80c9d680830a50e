import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { mostSpoken } from "./outline";
import { Spoken } from "./Spoken";
import { chainOf } from "./sample";
import { select } from "./selection";

test("a screen reader gets the sentence of what is chosen, and a bounded list with its neighbours", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const graph = chainOf(200, 150);
  await act(async () => root.render(<Spoken model="long" graph={graph} />));
  const list = () => [...page.querySelectorAll("li")].map((item) => item.textContent ?? "");
  const status = () => page.querySelector("[role=status]")?.textContent;
  expect(status()).toBe("");
  expect(list()).toHaveLength(mostSpoken);
  expect(list()[0]).toBe("Input IN");
  const left = graph.nodes.length + graph.edges.length - mostSpoken;
  expect(page.textContent).toContain(`${left} more. The arrow keys reach all of them`);

  await act(async () => select("long", "step:150"));
  expect(status()).toBe("Step 151, stage_151");
  expect(list()).toHaveLength(mostSpoken);
  expect(list().slice(0, 3)).toEqual([
    "Step 151, stage_151",
    expect.stringMatching(
      /^Tensor t150, FP32 .*from step 150, stage_150 to step 151, stage_151\. Broken: the types/,
    ),
    expect.stringMatching(/^Tensor t151, .*from step 151, stage_151 to step 152, stage_152$/),
  ]);
  await act(async () => select("long", "e150"));
  expect(status()).toMatch(/^Tensor t150, .* Broken: the types differ$/);

  await act(async () => root.render(<Spoken model="long" graph={chainOf(3)} />));
  expect(list()).toHaveLength(9);
  expect(page.textContent).not.toContain("more.");
  await act(async () => root.unmount());
});
