import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ListHistoryResponseSchema, WatchRefusalsResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { showFailed } from "../../window/refused";
import { RequestsView } from "./RequestsView";

afterEach(() => {
  vi.restoreAllMocks();
  queryClient.clear();
});

const group = (id: bigint, status: string, reason: string) => ({
  ...{ id, port: "HTTP", model: "digits", status, reason, count: 2n },
  newest: [{ time: 15n, client: "10.0.0.7:99" }],
});
const ofClients = [group(1n, "404 Not Found", "no such version"), group(2n, "500 Internal", "no anchors")];
const sent = [
  { id: 1n, model: "digits", ok: true, summary: "image FP32 [1]", tookMs: 1 },
  { id: 2n, model: "digits", error: "n is negative", tookMs: 1 },
  { id: 3n, model: "other", error: "out of ink", tookMs: 1 },
];

/** What the page lists of the failures of a model. */
async function show(entries: typeof sent, changed: typeof ofClients) {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(create(ListHistoryResponseSchema, { entries }));
  vi.spyOn(clients.tryIt, "watchRefusals").mockImplementation(async function* (_request, options) {
    yield create(WatchRefusalsResponseSchema, { reset: true, changed });
    await new Promise((done) => options?.signal?.addEventListener("abort", done));
  });
  showFailed("digits");
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <RequestsView />
      </QueryClientProvider>,
    ),
  );
  const listed = () =>
    [...page.querySelectorAll("[aria-label*='newest first'] li")].map((li) => li.textContent);
  const end = async () => {
    await act(async () => root.unmount());
    page.remove();
  };
  return { page, listed, end };
}

test("failures of a model that were sent from here are listed, with the way to those of clients and back", async () => {
  const { page, listed, end } = await show(sent, ofClients);
  await vi.waitFor(() => expect(listed()).toHaveLength(1));
  expect(listed()[0]).toContain("N is negative");
  expect(page.textContent).toContain("2 requests of clients of the ports failed too.");
  const press = (text: string) =>
    act(async () =>
      [...page.querySelectorAll("button")].find(({ textContent }) => textContent === text)?.click(),
    );
  await press("Show them");
  expect(listed()).toHaveLength(1);
  expect(listed()[0]).toMatch(/no anchors/i);
  expect(page.textContent).toContain("1 request sent from here failed too.");
  await press("Show it");
  expect(listed()[0]).toContain("N is negative");
  await end();
});

test("failures that clients alone met are listed at once, without what never ran", async () => {
  const { page, listed, end } = await show(sent.slice(0, 1), ofClients);
  await vi.waitFor(() => expect(listed()[0]).toMatch(/no anchors/i));
  expect(listed()).toHaveLength(1);
  expect(page.textContent).toContain("Only requests that ran and failed.");
  await end();
});

test("failures that no list holds any more are said to be gone", async () => {
  const { page, end } = await show([], []);
  await vi.waitFor(() =>
    expect(page.textContent).toContain("Failed requests of clients are listed until the engine restarts."),
  );
  expect(page.textContent).not.toContain("No request was refused");
  await end();
});
