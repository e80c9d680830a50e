import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ListHistoryResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { RequestsView } from "./RequestsView";
import css from "./requests.module.css";

/** The view of these requests. */
async function show(entries: MessageInitShape<typeof ListHistoryResponseSchema>["entries"]) {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(720);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(1000);
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(create(ListHistoryResponseSchema, { entries }));
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
  await vi.waitFor(() => expect(page.querySelector("li")).not.toBeNull());
  const end = async () => {
    await act(async () => root.unmount());
    queryClient.clear();
    page.remove();
  };
  return { page, end };
}

const showFailed = (page: HTMLElement) =>
  act(async () =>
    [...page.querySelectorAll<HTMLElement>("[role=radio]")]
      .find(({ textContent }) => textContent === "Failed")
      ?.click(),
  );

const stopped = { model: "slow", error: "Stopped after 4.89 s", stopped: true, tookMs: 4890 };
const tooLarge = { model: "slow", error: "it is too large", tookMs: 3 };

test("a request that was stopped is listed, and is no failure", async () => {
  const { page, end } = await show([
    { id: 2n, ...stopped },
    { id: 1n, ...tooLarge },
  ]);
  const listed = () => [...page.querySelectorAll("li")].map(({ textContent }) => textContent);
  await vi.waitFor(() => expect(listed()).toHaveLength(2));
  const red = [...page.querySelectorAll(`.${css.error}`)].map(({ textContent }) => textContent);
  expect(red).toEqual(["It is too large"]);
  await showFailed(page);
  expect(listed()).toHaveLength(1);
  expect(page.textContent).not.toContain("Stopped after");
  await end();
});

test("that older requests are not listed is said also where the list is filtered", async () => {
  const all = Array.from({ length: 500 }, (_, i) => ({
    id: BigInt(500 - i),
    ...(i === 7 ? tooLarge : stopped),
  }));
  const { page, end } = await show(all);
  await showFailed(page);
  expect(page.querySelectorAll("li")).toHaveLength(1);
  expect(page.textContent).toContain("Only the newest 500 are listed.");
  await end();
});
