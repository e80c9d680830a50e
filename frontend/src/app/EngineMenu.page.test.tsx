import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { Engine_State, EngineSchema, RepositorySchema } from "../api/conch_pb";
import { useWorkspace } from "../workspace/workspace";
import { EngineMenu } from "./EngineMenu";

test("an engine is shown once a repository is open, and a lost connection always", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const engine = create(EngineSchema, { state: Engine_State.STOPPED });
  const shown = async (roots: string[], connection: "live" | "lost") => {
    await act(async () =>
      useWorkspace.setState({ engine, connection, repository: create(RepositorySchema, { roots }) }),
    );
    return document.body.textContent;
  };
  await act(async () => root.render(<EngineMenu />));
  expect(await shown([], "live")).toBe("");
  expect(await shown(["/models"], "live")).toContain("Engine stopped");
  expect(await shown([], "lost")).toContain("Reconnecting");
  await act(async () => root.unmount());
});
