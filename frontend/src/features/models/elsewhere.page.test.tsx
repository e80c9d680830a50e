import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ElsewhereSchema } from "../../api/conch_pb";
import { TooltipProvider } from "../../ui/Tooltip";
import { useDialogs } from "../../window/dialogs";
import { ElsewhereChip } from "./ElsewhereChip";

test("a badge of a model for which there is another ONNX Runtime leads there, and another is no button", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const shown = (byBuild: boolean) =>
    act(async () =>
      root.render(
        <TooltipProvider>
          <ElsewhereChip
            elsewhere={[
              create(ElsewhereSchema, {
                badge: "KIND_GPU, runs on CPU here",
                text: "ONNX Runtime…",
                byBuild,
              }),
            ]}
          />
        </TooltipProvider>,
      ),
    );
  const button = () => document.querySelector("button");
  await shown(false);
  expect(button()).toBeNull();
  await shown(true);
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
