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
import { ReachContext } from "../ui/reach";
import { usePlace } from "../window/place";
import { selectReach, useWorkspace } from "../workspace/workspace";
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

test("while a server elsewhere does not answer, the status bar says which and where, and counts the problems here", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const reason = "nothing listens at 10.0.0.7:8001 (dial tcp 10.0.0.7:8001: connect: connection refused).";
  const silent = { state: Engine_State.SILENT, reason };
  const remote = { name: "lab", address: "grpc://10.0.0.7:8001" };
  useWorkspace.setState({
    seq: 1n,
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/r"] }),
    engine: create(EngineSchema, { ...silent, remote }),
    models: new Map(),
  });
  await act(async () =>
    root.render(
      <ReachContext value={selectReach(useWorkspace.getState())}>
        <StatusBar />
      </ReachContext>,
    ),
  );
  expect(page.textContent).toContain("No problems");
  expect(page.textContent).toContain("lab does not answer at grpc://10.0.0.7:8001");
  expect(page.textContent).not.toContain("dial tcp");
  expect(page.querySelector("[title*='dial tcp']")).not.toBeNull();
  const unnamed = create(EngineSchema, { ...silent, remote: { ...remote, name: "10.0.0.7:8001" } });
  await act(async () => useWorkspace.setState({ engine: unnamed }));
  expect(page.textContent).toContain("grpc://10.0.0.7:8001 does not answer");
  expect(page.textContent).not.toContain("does not answer at");
  await act(async () => root.unmount());
});
