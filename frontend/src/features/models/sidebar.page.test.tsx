import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { ModelSummarySchema } from "../../api/conch_pb";
import { enter } from "../../testing/typing";
import { goToModel, goToRepository } from "../../window/place";
import { useWorkspace } from "../../workspace/workspace";
import { Sidebar } from "./Sidebar";

test("a filter goes when a model that it hides is opened from elsewhere, and stays for one that it shows", async () => {
  const models = ["add_sub", "digits", "digits_prepare"].map((name) => create(ModelSummarySchema, { name }));
  useWorkspace.setState({ models: new Map(models.map((model) => [model.name, model])) });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<Sidebar />));
  const field = () => page.querySelector<HTMLInputElement>("[aria-label='Filter models']");
  await act(async () => enter(field(), "dig"));
  await act(async () => goToModel("digits_prepare"));
  await act(async () => goToRepository());
  expect(field()?.value).toBe("dig");
  await act(async () => goToModel("add_sub"));
  expect(field()?.value).toBe("");
  await act(async () => root.unmount());
});
