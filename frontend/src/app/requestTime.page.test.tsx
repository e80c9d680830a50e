import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { GetHistoryResponseSchema, InferResponseSchema, ListHistoryResponseSchema } from "../api/conch_pb";
import { queryClient } from "../api/queries";
import { TimeWent } from "../features/graph/TimeWent";
import { RequestDetail } from "../features/requests/RequestDetail";
import { HistoryMenu } from "../features/try/HistoryMenu";
import { Response } from "../features/try/Response";
import { patchTry } from "../requests/tries";

const ms = (n: number) => BigInt(n) * 1_000_000n;
const step = (place: number, startNs: bigint, took: bigint) => ({
  step: place,
  model: `part_${place}`,
  startNs,
  timings: { inferNs: took, totalNs: took },
  span: { endedNs: startNs + took },
});

// Two steps side by side take 300 ms of the engine's 480, and the way there and back 59 more.
const response = create(InferResponseSchema, {
  ok: true,
  modelVersion: "1",
  historyId: 1n,
  steps: [step(0, 0n, ms(300)), step(1, 0n, ms(200))],
  span: { receivedNs: ms(30), endedNs: ms(480) },
  timings: { inferNs: ms(500), totalNs: ms(480), roundTripNs: ms(539) },
});

test("one request has one total, wherever it is shown", async () => {
  const entry = { id: 1n, time: 1n, model: "pair", modelVersion: "1", ok: true, tookMs: 539, summary: "a" };
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(
    create(ListHistoryResponseSchema, { entries: [entry] }),
  );
  vi.spyOn(clients.tryIt, "getHistory").mockResolvedValue(
    create(GetHistoryResponseSchema, { entry, request: { model: "pair" }, response }),
  );
  const answer = { at: 1, response };
  patchTry("pair", { answer });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Response model="pair" answer={answer} running={undefined} />
        <TimeWent model="pair" />
        <HistoryMenu model="pair" />
        <RequestDetail id={1n} onClose={() => undefined} />
      </QueryClientProvider>,
    ),
  );
  const click = (label: string) =>
    act(async () => page.querySelector<HTMLElement>(`[aria-label="${label}"]`)?.click());
  await click("Earlier requests");
  for (const toggle of page.querySelectorAll<HTMLElement>("section[aria-label=Timeline] button"))
    await act(async () => toggle.click());
  const totals = (place: string) =>
    [
      ...(document.querySelector(`[aria-label="${place}"]:not(button)`)?.textContent ?? "").matchAll(
        /5\d\d ms/g,
      ),
    ].map(String);
  const places = ["Response", "Where the time went", "Timeline", "Earlier requests", "Request"];
  await vi.waitFor(() => {
    for (const place of places) expect([place, ...new Set(totals(place))]).toEqual([place, "539 ms"]);
  });
  // The parts of every bar of the whole request: 300 ms on the longest way, and the rest.
  const bars = [...page.querySelectorAll("[aria-label^='Time by stage']")].map((bar) =>
    bar.getAttribute("aria-label"),
  );
  expect(bars).toHaveLength(2); // of the answer and of the history
  for (const bar of bars)
    expect(bar).toMatch(/539 ms in all: .*inference 300 ms.*workbench and transport 239 ms$/);
  expect(page.textContent).toContain("inference 300 ms");
  expect(`${bars} ${page.textContent}`).not.toMatch(/\b(queue|input|output) 0 ms/); // no time went there
  await act(async () => root.unmount());
});
