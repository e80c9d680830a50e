import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { EngineSchema, ModelState, ModelSummarySchema } from "../api/conch_pb";
import { queryClient } from "../api/queries";
import { ModelHeader } from "../features/models/ModelHeader";
import { ModelRow } from "../features/models/ModelRow";
import { show } from "../features/overview/shown";
import { TooltipProvider } from "../ui/Tooltip";
import { useWorkspace } from "../workspace/workspace";

afterEach(() => {
  vi.restoreAllMocks();
  useWorkspace.setState({ engine: undefined, models: new Map() });
});

const on = (name: string, device: string) =>
  create(ModelSummarySchema, { name, device, state: ModelState.READY, instances: 1 });
const big = on("big", "GPU 0, GPU 1");
const small = on("small", "GPU 0");
const said = "Loaded on GPU 1 (lost), which its driver cannot reach: requests may fail";

/** An engine whose driver has lost GPU 1, with these that are left. */
const lost = (left: readonly number[]) =>
  create(EngineSchema, { gpus: left.map((index) => ({ index })), gpusLost: [1] });

test("the page and the row of a model say that a GPU under it is lost, and those of no other model", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const shown = (left: readonly number[]) =>
    act(async () => {
      useWorkspace.setState({ engine: lost(left) });
      root.render(
        <QueryClientProvider client={queryClient}>
          <TooltipProvider>
            {[big, small].map((model) => (
              <section key={model.name}>
                <ModelHeader model={model} />
                <ModelRow model={model} selected={false} tabbable />
              </section>
            ))}
          </TooltipProvider>
        </QueryClientProvider>,
      );
    });
  await shown([0]);
  const [first, second] = document.querySelectorAll("section");
  expect(first?.querySelector("header")?.textContent).toContain("GPU 1 (lost)");
  expect(first?.querySelector(`[data-model] [aria-label='${said}']`)).not.toBeNull();
  expect(second?.textContent).not.toContain("lost");
  expect(second?.querySelector("[aria-label*='(lost)']")).toBeNull();
  await shown([0, 1]); // the engine has started without it: another is GPU 1
  expect(first?.textContent).not.toContain("lost");
  await act(async () => root.unmount());
});

test("the row of the overview says so too", async () => {
  useWorkspace.setState({ engine: lost([0]) });
  const { page, end } = await show([big, small]);
  const marks = [...page.querySelectorAll("tr")].filter((row) => row.querySelector(`[aria-label='${said}']`));
  expect(marks.map(({ textContent }) => textContent?.includes("big"))).toEqual([true]);
  await end();
});
