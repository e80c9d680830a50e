import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test, vi } from "vitest";
import { ModelState, ModelSummarySchema } from "../../api/conch_pb";
import { show } from "./shown";

afterEach(() => void vi.restoreAllMocks());

test("a model that was unloaded or removed keeps what it did in the range", async () => {
  const did = (model: string, requests: bigint) => ({
    model,
    requests,
    p50Ms: 1.2,
    p99Ms: 3400,
    requestsPerSecond: 1,
  });
  const summaries = [did("taken_out", 41n), did("left_before", 0n), did("resting", 17n), did("idle", 0n)];
  const models = ["resting", "idle"].map((name) =>
    create(ModelSummarySchema, { name, state: ModelState.UNLOADED }),
  );
  const { page, summarize, end } = await show(models, { summaries });
  const row = (name: string) => {
    const rows = [...page.querySelectorAll("tbody tr")];
    const found = rows.find((tr) => tr.querySelector("button")?.textContent?.includes(name));
    return [...(found?.querySelectorAll("td") ?? [])].slice(-5).map(({ textContent }) => textContent);
  };
  await vi.waitFor(() => expect(row("taken_out")).toEqual(["41", "1.20 ms", "3.40 s", "0", "Removed"]));
  expect(row("resting")).toEqual(["17", "1.20 ms", "3.40 s", "0", "Unloaded"]);
  expect(row("idle")).not.toContain("Unloaded");
  expect(row("left_before")).toEqual([]);
  expect(summarize.mock.calls[0]?.[0]).toMatchObject({ models: ["idle", "resting"], removed: true });
  await end();
});
