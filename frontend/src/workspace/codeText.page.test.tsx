import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { ModelSummarySchema } from "../api/conch_pb";
import { usePlace } from "../window/place";
import { CodeText } from "./CodeText";
import { useWorkspace } from "./workspace";

it("leads from a line of a traceback to the file, and leaves lines of other programs as they are", () => {
  const models = [create(ModelSummarySchema, { name: "sums", dir: "/r/sums" })];
  useWorkspace.setState({ models: new Map(models.map((model) => [model.name, model])) });
  const host = document.createElement("div");
  const text = "ValueError: no\n\nAt:\n  /r/sums/1/model.py(12): execute\n  /usr/lib/json.py(3): loads\n";
  act(() => createRoot(host).render(<CodeText text={text} />));
  expect(host.textContent).toBe(text.replace("/r/sums", "sums"));
  const [place, ...others] = host.querySelectorAll("button");
  expect(others).toEqual([]);
  act(() => place?.click());
  const { model, reveal } = usePlace.getState();
  expect([model, reveal?.path, reveal?.line]).toEqual(["sums", "1/model.py", 12]);
});
