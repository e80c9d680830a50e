import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { createStore } from "zustand";
import { ModelSummarySchema, RepositorySchema } from "../../api/conch_pb";
import { usePlace } from "../../stores/place";
import { useWorkspace } from "../../stores/workspace";
import { ProblemList } from "./ProblemList";
import type { Session } from "./session";

/** A file without problems of its own. */
const sound = (model: string) =>
  ({
    file: { model, path: "config.pbtxt" },
    store: createStore(() => ({ findings: [], dependants: [] })),
  }) as unknown as Session;

test("problems of other models are told of only where this one is made of them", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const models = [
    create(ModelSummarySchema, { name: "broken", errors: 1, warnings: 1 }),
    create(ModelSummarySchema, { name: "digits" }),
    create(ModelSummarySchema, { name: "read", uses: ["digits", "broken"] }),
  ];
  useWorkspace.setState({
    repository: create(RepositorySchema, { errors: 1, warnings: 1 }),
    models: new Map(models.map((model) => [model.name, model])),
  });
  const show = (model: string) => act(async () => root.render(<ProblemList session={sound(model)} />));
  await show("digits");
  expect(document.body.textContent).toBe("ProblemsNone in this file");
  await show("read");
  expect(document.body.textContent).toContain("2 in broken that it uses");
  await act(async () => document.querySelector("button")?.click());
  expect(usePlace.getState().model).toBe("broken");
  await act(async () => root.unmount());
});
