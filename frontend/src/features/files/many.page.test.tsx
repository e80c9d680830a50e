import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { GetModelResponseSchema, ModelSummarySchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { FilesView } from "./FilesView";

afterEach(() => void vi.restoreAllMocks());

test("of 5,000 files only those in view are drawn, and the others when they are scrolled to", async () => {
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(900);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(900);
  const files = Array.from({ length: 5000 }, (_, i) => ({
    path: `1/part_${String(i).padStart(4, "0")}.bin`,
  }));
  const summary = create(ModelSummarySchema, { name: "m" });
  vi.spyOn(clients.models, "getModel").mockResolvedValue(create(GetModelResponseSchema, { summary, files }));
  useWorkspace.setState({ connection: "live", models: new Map([["m", summary]]) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <FilesView model="m" />
      </QueryClientProvider>,
    ),
  );
  const drawn = () => [...page.querySelectorAll("tr[aria-rowindex]")].map((row) => row.textContent ?? "");
  await vi.waitFor(() => expect(drawn()[0]).toContain("part_0000"));
  expect(page.querySelector("table")?.getAttribute("aria-rowcount")).toBe("5001");
  expect(drawn().length).toBeGreaterThan(15);
  expect(drawn().length).toBeLessThan(60);
  const scroll = page.querySelector("table")?.parentElement as HTMLElement;
  await act(async () => {
    scroll.scrollTop = 36 * 3000;
    scroll.dispatchEvent(new Event("scroll"));
  });
  await vi.waitFor(() => expect(drawn().some((text) => text.includes("part_3005"))).toBe(true));
  expect(drawn().length).toBeLessThan(60);
  await act(async () => root.unmount());
});
