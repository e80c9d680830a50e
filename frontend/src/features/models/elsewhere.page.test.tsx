import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ElsewhereSchema } from "../../api/conch_pb";
import { TooltipProvider } from "../../ui/Tooltip";
import { ElsewhereChip } from "./ElsewhereChip";

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
