import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { DraftsSchema, RepositorySchema } from "../api/conch_pb";
import { useToasts } from "../window/toasts";
import { useWorkspace } from "../workspace/workspace";
import { RestoredBanner } from "./RestoredBanner";

test("what was brought back is said in a banner, which lies over nothing, until it is closed or gone", async () => {
  vi.useFakeTimers();
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const tell = (run: string, restored: boolean) =>
    act(async () =>
      useWorkspace.setState({
        repository: create(RepositorySchema, { id: "r" }),
        drafts: create(DraftsSchema, { run, list: [{ model: "digits", path: "config.pbtxt", restored }] }),
      }),
    );
  const said = () => document.querySelector("[role=status]")?.textContent ?? "";
  await act(async () => root.render(<RestoredBanner />));
  await tell("1", false);
  expect(said()).toBe("");
  await tell("1", true);
  expect(said()).toContain("Unsaved changes in 1 file were brought back: digits/config.pbtxt.");
  expect(useToasts.getState().toasts).toEqual([]);
  await act(async () => vi.advanceTimersByTime(3_600_000));
  expect(said()).toContain("brought back"); // who comes back later sees it too
  await act(async () => document.querySelector<HTMLElement>("[aria-label=Close]")?.click());
  expect(said()).toBe("");
  await act(async () => root.unmount());
  const again = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => again.render(<RestoredBanner />));
  expect(said()).toBe(""); // the page was laid out again
  await tell("2", true);
  expect(said()).toContain("brought back");
  const open = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Show");
  await act(async () => open?.click());
  expect(said()).toBe(""); // the dialog has it now
  await tell("4", true);
  await tell("2", false);
  expect(said()).toBe("");
  await act(async () => again.unmount());
  vi.useRealTimers();
});
