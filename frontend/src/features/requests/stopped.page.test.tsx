import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ListHistoryResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { RequestsView } from "./RequestsView";
import css from "./requests.module.css";

test("a request that was stopped is listed, and is no failure", async () => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(
    create(ListHistoryResponseSchema, {
      entries: [
        { id: 2n, model: "slow", error: "Stopped after 4.89 s", stopped: true, tookMs: 4890 },
        { id: 1n, model: "slow", error: "it is too large", tookMs: 3 },
      ],
    }),
  );
  vi.spyOn(clients.tryIt, "watchRefusals").mockImplementation(async function* () {});
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <RequestsView />
      </QueryClientProvider>,
    ),
  );
  const listed = () => [...page.querySelectorAll("li")].map(({ textContent }) => textContent);
  await vi.waitFor(() => expect(listed()).toHaveLength(2));
  const red = [...page.querySelectorAll(`.${css.error}`)].map(({ textContent }) => textContent);
  expect(red).toEqual(["It is too large"]);
  const failed = [...page.querySelectorAll<HTMLElement>("[role=radio]")].find(
    (e) => e.textContent === "Failed",
  );
  await act(async () => failed?.click());
  expect(listed()).toHaveLength(1);
  expect(page.textContent).not.toContain("Stopped after");
  await act(async () => root.unmount());
});
