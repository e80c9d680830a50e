import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ModelState, ModelSummarySchema } from "../../api/conch_pb";
import { Facts } from "./Facts";

test("where a model runs is the fact that stays in a narrow window", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const model = create(ModelSummarySchema, {
    name: "big",
    state: ModelState.READY,
    runtime: "ONNX Runtime",
    device: "GPU 0, GPU 1",
    instances: 2,
  });
  await act(async () => root.render(<Facts model={model} />));
  const kept = [...document.querySelectorAll("span[class*=device]")].map(({ textContent }) => textContent);
  expect(kept).toEqual(["GPU 0, GPU 1"]);
  await act(async () => root.unmount());
});
