import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ModelState, ModelSummarySchema } from "../api/conch_pb";
import { queryClient } from "../api/queries";
import { ModelRow as SidebarRow } from "../features/models/ModelRow";
import { ModelRow as OverviewRow } from "../features/overview/ModelRow";
import "../testing/page";

const ensemble = (wrongModels: string[], more = {}) =>
  create(ModelSummarySchema, {
    name: "read_digit",
    kind: "Ensemble",
    ensemble: true,
    state: ModelState.UNLOADED,
    wrongModels,
    ...more,
  });

function labels(row: React.ReactNode): (string | null)[] {
  const host = document.createElement("div");
  const inside = createRoot(host);
  act(() => inside.render(row));
  const all = [...host.querySelectorAll("[role=img]")].map((mark) => mark.getAttribute("aria-label"));
  act(() => inside.unmount());
  return all;
}

const sidebar = (model: ReturnType<typeof ensemble>) =>
  labels(
    <QueryClientProvider client={queryClient}>
      <SidebarRow model={model} selected={false} tabbable={false} />
    </QueryClientProvider>,
  );

const overview = (model: ReturnType<typeof ensemble>) =>
  labels(
    <QueryClientProvider client={queryClient}>
      <table>
        <tbody>
          <OverviewRow
            model={model}
            index={0}
            inRange={undefined}
            tabbable={false}
            onFocus={() => undefined}
          />
        </tbody>
      </table>
    </QueryClientProvider>,
  );

test("an ensemble of a broken model has a mark that names the model, in the sidebar and in the overview", () => {
  const one = "Triton would refuse it: model digits is wrong";
  const two = "Triton would refuse it: models a, digits are wrong";
  for (const shown of [sidebar, overview]) {
    expect(shown(ensemble(["digits"]))).toContain(one);
    expect(shown(ensemble(["a", "digits"]))).toContain(two);
    expect(shown(ensemble([])).join()).not.toContain("Triton would refuse it");
  }
});

test("the mark does not replace the count of the model's own errors and warnings", () => {
  for (const shown of [sidebar, overview]) {
    expect(shown(ensemble(["digits"], { errors: 2 }))).toContain("2 errors");
    expect(shown(ensemble(["digits"], { warnings: 1 }))).toContain("1 warning");
  }
});
