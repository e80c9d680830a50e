import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { GetModelResponseSchema, ListProblemsResponseSchema, RepositorySchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { makeVersionOf, useVersionFiles } from "../../window/versionFiles";
import { useWorkspace } from "../../workspace/workspace";
import { FilesView } from "./FilesView";

let root: Root;

beforeEach(async () => {
  useWorkspace.setState({
    connection: "live",
    repository: create(RepositorySchema, { id: "r", roots: ["/r"] }),
  });
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(create(ListProblemsResponseSchema));
  const files = [{ path: "config.pbtxt" }, { path: "1/model.py" }, { path: "3/", note: "no files yet" }];
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "mine" }, files }),
  );
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <FilesView model="mine" />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(document.body.textContent).toContain("1/model.py"));
});

afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  queryClient.clear();
  vi.restoreAllMocks();
});

const button = (name: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name);
const field = () => document.querySelector<HTMLInputElement>("[role=dialog] input");

test("files that were dropped for a new model become a version here", async () => {
  await act(async () => makeVersionOf("other", [new File(["x"], "a.onnx")]));
  expect(field()).toBeNull();
  await act(async () => makeVersionOf("mine", [new File(["x"], "a.onnx")]));
  expect([field()?.value, button("Create 4/")?.disabled]).toEqual(["4", false]);
  expect(document.querySelector("[role=dialog]")?.textContent).toContain("a.onnx");
  await act(async () => button("Cancel")?.click());
  expect([field(), useVersionFiles.getState().files]).toEqual([null, []]);
});
