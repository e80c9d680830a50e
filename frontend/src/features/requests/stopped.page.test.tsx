import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { GetHistoryResponseSchema, HistoryEntrySchema, InferResponseSchema } from "../../api/conch_pb";
import css from "./requests.module.css";
import { show } from "./shown";

const stopped = { model: "slow", error: "Stopped after 4.89 s", stopped: true, tookMs: 4890 };
const tooLarge = { model: "slow", error: "it is too large", tookMs: 3 };

test("a request that was stopped is listed, and is no failure", async () => {
  const entries = [
    { id: 2n, ...stopped },
    { id: 1n, ...tooLarge },
  ];
  const { page, listed, press, end } = await show({ entries });
  await vi.waitFor(() => expect(listed()).toHaveLength(2));
  const red = [...page.querySelectorAll(`.${css.error}`)].map(({ textContent }) => textContent);
  expect(red).toEqual(["It is too large"]);
  await press("Failed");
  expect(listed()).toHaveLength(1);
  expect(page.textContent).not.toContain("Stopped after");
  await end();
});

test("a request whose answer was lost is among those that failed, and has no time", async () => {
  const error = "Its answer is lost: Conch ended while it ran";
  const entries = [
    { id: 2n, model: "slow", error, stopped: true },
    { id: 1n, ...stopped },
  ];
  const entry = create(HistoryEntrySchema, entries[0]);
  const response = create(InferResponseSchema, { error, stopped: true });
  const { page, listed, press, end } = await show({ entries });
  vi.spyOn(clients.tryIt, "getHistory").mockResolvedValue(
    create(GetHistoryResponseSchema, { entry, response }),
  );
  await vi.waitFor(() => expect(listed()).toHaveLength(2));
  await press("Failed");
  expect(listed()).toHaveLength(1);
  await act(async () => page.querySelector<HTMLElement>("li button")?.click());
  const pane = () => page.querySelector("[aria-label=Request]")?.textContent;
  await vi.waitFor(() => expect(pane()).toContain(`${error}.`));
  expect(pane()).toContain(" · lost");
  expect(pane()).not.toContain("0 ms");
  await end();
});

test("that older requests are not listed is said also where the list is filtered", async () => {
  const entries = Array.from({ length: 500 }, (_, i) => ({
    id: BigInt(500 - i),
    ...(i === 7 ? tooLarge : stopped),
  }));
  const { page, listed, press, end } = await show({ entries });
  await vi.waitFor(() => expect(listed()).not.toHaveLength(0));
  await press("Failed");
  expect(listed()).toHaveLength(1);
  expect(page.textContent).toContain("Only the newest 500 are listed.");
  await end();
});

test("a row says which version answered", async () => {
  const entries = [2n, 1n].map((id) => ({
    id,
    model: "digits",
    modelVersion: String(id),
    ok: true,
    tookMs: 1,
  }));
  const { listed, end } = await show({ entries });
  await vi.waitFor(() => expect(listed()).toHaveLength(2));
  expect(listed().map((row) => /v\d/.exec(row)?.[0])).toEqual(["v2", "v1"]);
  await end();
});
