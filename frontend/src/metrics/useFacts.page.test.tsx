import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { EngineSchema } from "../api/conch_pb";
import { useWorkspace } from "../workspace/workspace";
import type { Facts } from "./chart/cardSpec";
import { useFacts } from "./useFacts";

test("of a driver that hangs, what it told last is not told as what its GPUs do now", async () => {
  let facts: Facts | undefined;
  function Heads() {
    facts = useFacts("", { range: "15m" });
    return null;
  }
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const tell = (gpuTrouble: string) =>
    act(async () =>
      useWorkspace.setState({ engine: create(EngineSchema, { gpus: [{ index: 0 }], gpuTrouble }) }),
    );
  await tell("");
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <Heads />
      </QueryClientProvider>,
    ),
  );
  expect(facts?.gpus).toHaveLength(1);
  await tell("The GPU driver does not answer.");
  expect(facts?.gpus).toEqual([]);
  await act(async () => root.unmount());
});
