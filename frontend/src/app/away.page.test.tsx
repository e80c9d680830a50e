import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { Engine_State, EngineSchema, RepositorySchema } from "../api/conch_pb";
import { selectBare, useWorkspace } from "../workspace/workspace";
import { engineStatus } from "./engine";
import { StandingBanners } from "./StandingBanners";
import { StatusBar } from "./StatusBar";

test("a repository that is away keeps its page, and banner, footer and engine say so", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const engine = create(EngineSchema, { state: Engine_State.READY });
  const trouble = "/models does not exist. What was loaded from it keeps serving.";
  const show = (away: boolean, trouble: string, errors = 0) =>
    act(async () =>
      useWorkspace.setState({
        seq: 1n,
        engine,
        connection: "live",
        repository: create(RepositorySchema, { roots: ["/models"], away, trouble, errors }),
      }),
    );
  await act(async () =>
    root.render(
      <>
        <StandingBanners />
        <StatusBar />
      </>,
    ),
  );
  await show(true, trouble);
  expect(selectBare(useWorkspace.getState())).toBe(false);
  expect(document.querySelector("[role=alert]")?.textContent).toContain(trouble);
  expect(document.body.textContent).toContain("Repository away");
  expect(document.body.textContent).not.toContain("No problems");
  expect(engineStatus(engine, "live", true).word).toBe("Serving, folder away");

  await show(false, "");
  expect(document.querySelector("[role=alert]")).toBeNull();
  expect(document.body.textContent).toContain("No problems");

  await act(async () => useWorkspace.setState({ connection: "lost" }));
  expect(document.querySelector("[role=alert]")?.textContent).toContain("does not answer");

  await show(false, "/models/digits is one model.", 2);
  expect(selectBare(useWorkspace.getState())).toBe(true);
  expect(document.body.textContent).not.toContain("2 errors");
  await act(async () => root.unmount());
});
