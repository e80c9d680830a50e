import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { GetGraphResponseSchema } from "../../api/conch_pb";
import { Troubles } from "./Troubles";

test("a broken part is named before its problem, unless the problem names it", async () => {
  const graph = create(GetGraphResponseSchema, {
    nodes: [
      { id: "step:0", label: "step 1", problem: "step 1 does not say which model it runs" },
      { id: "step:1", label: "digits", problem: "no step reads what it gives" },
      { id: "step:2", label: "scores", problem: 'there is no model "scores"' },
    ],
  });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<Troubles graph={graph} onSelect={() => {}} />));
  expect([...page.querySelectorAll("button")].slice(0, 3).map((row) => row.textContent)).toEqual([
    "Step 1 does not say which model it runs",
    "digits: No step reads what it gives",
    'There is no model "scores"',
  ]);
  await act(async () => root.unmount());
});
