/** The page of requests over a program that answers with what a test gives it. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { vi } from "vitest";
import { clients } from "../../api/client";
import { ListHistoryResponseSchema, WatchRefusalsResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { leaveRequests } from "../../window/asked";
import { RequestsView } from "./RequestsView";

interface Given {
  /** Sent from here. */
  readonly entries?: MessageInitShape<typeof ListHistoryResponseSchema>["entries"];
  /** Of clients. */
  readonly changed?: MessageInitShape<typeof WatchRefusalsResponseSchema>["changed"];
}

/** Shows it; jsdom lays nothing out, so a list is told how large it is. */
export async function show({ entries = [], changed }: Given) {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(create(ListHistoryResponseSchema, { entries }));
  vi.spyOn(clients.tryIt, "watchRefusals").mockImplementation(async function* (_request, options) {
    if (changed) yield create(WatchRefusalsResponseSchema, { reset: true, changed });
    await new Promise((done) => options?.signal?.addEventListener("abort", done));
  });
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
    [...page.querySelectorAll("[aria-label*='newest first'] li")].map(({ textContent }) => textContent);
  const press = (text: string) =>
    act(async () =>
      [...page.querySelectorAll<HTMLElement>("button, [role=radio]")]
        .find((one) => one.textContent === text || one.getAttribute("aria-label") === text)
        ?.click(),
    );
  const end = async () => {
    await act(async () => root.unmount());
    page.remove();
    queryClient.clear();
    leaveRequests();
    vi.restoreAllMocks();
  };
  return { page, listed, press, end };
}
