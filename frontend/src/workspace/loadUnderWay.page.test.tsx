import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { ModelState, ModelSummarySchema } from "../api/conch_pb";
import { LoadUnderWay } from "./LoadUnderWay";

afterEach(() => vi.useRealTimers());

test("a load is shown beside the state once it lasts, with what it does and for how long", () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const host = document.createElement("div");
  const root = createRoot(host);
  const model = (loading: string, loadingSince: number) =>
    create(ModelSummarySchema, {
      name: "digits",
      state: ModelState.READY,
      loading,
      loadingSince: BigInt(loadingSince),
    });
  act(() => root.render(<LoadUnderWay model={model("creating instance 2 of 4", 1_000_000)} />));
  expect(host.innerHTML).toBe("");
  act(() => void vi.advanceTimersByTime(12_000));
  expect(host.textContent).toContain("12 s");
  expect(host.querySelector("[data-loading=digits]")?.getAttribute("title")).toBe(
    "Loading: creating instance 2 of 4, for 12 s",
  );
  act(() => root.render(<LoadUnderWay model={model("", 0)} />));
  expect(host.innerHTML).toBe("");
  act(() => root.unmount());
});
