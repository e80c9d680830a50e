import { expect, test } from "vitest";
import { cardsWith } from "./OverviewPage";

test("the overview has a chart of the GPUs where there are any", () => {
  const titles = (gpus: Parameters<typeof cardsWith>[0]) => cardsWith(gpus).map(({ title }) => title);
  expect(titles([])).toEqual(["Requests per second", "Latency in the engine", "CPU and memory"]);
  expect(titles([{ index: 0, uuid: "GPU-a", name: "H100" }])).toEqual([...titles([]), "GPU utilization"]);
});
