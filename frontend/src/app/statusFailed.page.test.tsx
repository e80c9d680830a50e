import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import {
  Engine_State,
  EngineSchema,
  ModelState,
  ModelSummarySchema,
  RepositorySchema,
} from "../api/conch_pb";
import { usePlace } from "../window/place";
import { useWorkspace } from "../workspace/workspace";
import { StatusBar } from "./StatusBar";

test("the status bar does not say that there are no problems while a model is failed or waits for trust", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const models = (state: ModelState) =>
    new Map([["broken", create(ModelSummarySchema, { name: "broken", state })]]);
  useWorkspace.setState({
    seq: 1n,
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/r"] }),
    engine: create(EngineSchema, { state: Engine_State.READY }),
    models: models(ModelState.READY),
  });
  usePlace.setState({ model: "broken" });
  await act(async () => root.render(<StatusBar />));
  expect(page.textContent).toContain("No problems");
  await act(async () => useWorkspace.setState({ models: models(ModelState.FAILED) }));
  expect(page.textContent).not.toContain("No problems");
  await act(async () => useWorkspace.setState({ models: models(ModelState.UNTRUSTED) }));
  expect(page.textContent).toContain("1 model waits for trust");
  expect(page.textContent).not.toMatch(/No problems|failed/);
  await act(async () => useWorkspace.setState({ models: models(ModelState.FAILED) }));
  const failed = [...page.querySelectorAll("button")].find((b) => b.textContent === "▲ 1 model failed");
  await act(async () => failed?.click());
  expect(usePlace.getState()).toMatchObject({ model: "", repositoryTab: "overview" });
  await act(async () => root.unmount());
});
