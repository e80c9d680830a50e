import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ElsewhereSchema } from "../../api/conch_pb";
import { TooltipProvider } from "../../ui/Tooltip";
import { useDialogs } from "../../window/dialogs";
import { ElsewhereChip } from "./ElsewhereChip";

test("a badge whose reason names the ONNX Runtime leads to it, and another is no button", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const shown = (text: string) =>
    act(async () =>
      root.render(
        <TooltipProvider>
          <ElsewhereChip
            elsewhere={[create(ElsewhereSchema, { badge: "KIND_GPU, runs on CPU here", text })]}
          />
        </TooltipProvider>,
      ),
    );
  const button = () => document.querySelector("button");
  await shown("this machine has no GPU that can be used; Triton would refuse the model on this machine");
  expect(button()).toBeNull();
  await shown("GPU 0 is here, but ONNX Runtime has no CUDA that works; ONNX Runtime… gets one");
  await act(async () => button()?.click());
  expect(useDialogs.getState().open).toBe("runtimes");
  await act(async () => root.unmount());
});

test("a model that runs elsewhere than it asks for has a badge, and no other model", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const elsewhere = [
    create(ElsewhereSchema, { badge: "KIND_GPU, runs on CPU here", text: "there is no GPU" }),
  ];
  const shown = (list: typeof elsewhere) =>
    act(async () =>
      root.render(
        <TooltipProvider>
          <ElsewhereChip elsewhere={list} />
        </TooltipProvider>,
      ),
    );
  await shown(elsewhere);
  expect(document.body.textContent).toBe("KIND_GPU, runs on CPU here");
  await shown([]);
  expect(document.body.textContent).toBe("");
  await act(async () => root.unmount());
});
