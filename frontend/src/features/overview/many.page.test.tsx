import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test, vi } from "vitest";
import { ModelState, ModelSummarySchema } from "../../api/conch_pb";
import { show } from "./shown";

afterEach(() => void vi.restoreAllMocks());

test("of 3,000 models only those in view are drawn and asked about, in one question", async () => {
  const models = Array.from({ length: 3000 }, (_, i) =>
    create(ModelSummarySchema, {
      name: `model_${String(i).padStart(4, "0")}`,
      state: ModelState.READY,
      kind: "FasterTransformer",
    }),
  );
  const { page, summarize, end } = await show(models);

  await vi.waitFor(() => expect(summarize).toHaveBeenCalled());
  const drawn = page.querySelectorAll("button[data-index]").length;
  expect(drawn).toBeGreaterThan(15);
  expect(drawn).toBeLessThan(60);
  expect(page.querySelectorAll("td[title='FasterTransformer']")).toHaveLength(drawn); // it may be cut off
  expect(summarize).toHaveBeenCalledTimes(1);
  expect(summarize.mock.calls[0]?.[0].models).toHaveLength(drawn);
  await end();
});
