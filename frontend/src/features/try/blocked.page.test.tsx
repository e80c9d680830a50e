import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  CreateFileResponseSchema,
  Diagnostic_Severity,
  GetModelResponseSchema,
  ListProblemsResponseSchema,
  LoadResponseSchema,
  ModelState,
  ModelSummarySchema,
} from "../../api/conch_pb";
import named from "../../ui/Named.module.css";
import { usePlace } from "../../window/place";
import { useTelling } from "../../workspace/told";
import { useWorkspace } from "../../workspace/workspace";
import { NotLoaded } from "./NotLoaded";

const lacks = "It has no model file yet. Put model.py into mine/1.";
const file = { path: "1/model.py", text: "class TritonPythonModel: ..." };

/** The note of a model that rests, with the problems of its config. */
async function shown(
  summary: Partial<{ lacks: string; errors: number; state: ModelState }>,
  fixes: object[],
) {
  const model = create(ModelSummarySchema, { name: "mine", state: ModelState.UNLOADED, ...summary });
  useWorkspace.setState({ models: new Map([["mine", model]]) });
  const diagnostics = [
    { severity: Diagnostic_Severity.ERROR, message: "Version 1 has no file model.py", line: 1, fixes },
  ];
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(
    create(ListProblemsResponseSchema, { files: [{ model: "mine", path: "config.pbtxt", diagnostics }] }),
  );
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <NotLoaded details={create(GetModelResponseSchema, { summary: model })} />
      </QueryClientProvider>,
    ),
  );
  await act(async () => new Promise((done) => setTimeout(done)));
  const button = (name: string) =>
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent === name);
  return { page, button, end: () => act(async () => root.unmount()) };
}

test("a model without its program says so after a failed load too, and the main way on writes it", async () => {
  const write = vi.spyOn(clients.editor, "createFile").mockResolvedValue(create(CreateFileResponseSchema));
  const load = vi.spyOn(clients.models, "load").mockResolvedValue(create(LoadResponseSchema));
  for (const state of [ModelState.UNLOADED, ModelState.FAILED]) {
    const { page, button, end } = await shown({ lacks, errors: 1, state }, [{ title: "Write it", file }]);
    expect(page.textContent).toContain(lacks);
    await act(async () => button("Write 1/model.py")?.click());
    expect(write).toHaveBeenLastCalledWith(expect.objectContaining({ model: "mine", ...file }));
    await act(async () => button("Load anyway")?.click());
    expect(load).toHaveBeenLastCalledWith(expect.objectContaining({ name: "mine" }));
    await end();
  }
  expect(load).toHaveBeenCalledTimes(2);
});

test("a label file is written or added in Files; where another file is probably meant, none is written", async () => {
  const labels = { title: "write labels.txt", file: { path: "labels.txt", text: "class 0\n" } };
  const write = vi.spyOn(clients.editor, "createFile").mockResolvedValue(create(CreateFileResponseSchema));
  const missing = await shown({ lacks: "It has no label file yet.", errors: 1 }, [labels]);
  await act(async () => missing.button("Write labels.txt")?.click());
  expect(write).toHaveBeenLastCalledWith(expect.objectContaining({ model: "mine", ...labels.file }));
  await act(async () => missing.button("Add it in Files")?.click());
  expect(usePlace.getState()).toMatchObject({ model: "mine", modelTab: "files" });
  await missing.end();
  const misnamed = await shown({ errors: 1 }, [{ title: "replace labels.txt by names.txt" }, labels]);
  expect(misnamed.button("Write labels.txt")).toBeUndefined();
  expect(misnamed.button("Show the problem")).toBeDefined();
  await misnamed.end();
});

test("a file that Conch cannot write is added in Files", async () => {
  const { button, end } = await shown({ lacks, errors: 1 }, []);
  expect(button("Show the problem")).toBeUndefined();
  await act(async () => button("Add it in Files")?.click());
  expect(usePlace.getState()).toMatchObject({ model: "mine", modelTab: "files" });
  await end();
});

test("an error without such a fix is led to before the load", async () => {
  const { page, button, end } = await shown({ errors: 1 }, []);
  expect(page.textContent).toContain("Version 1 has no file model.py");
  expect(page.querySelector(`.${named.name}`)?.textContent).toBe("mine");
  await act(async () => button("Show the problem")?.click());
  expect(usePlace.getState().reveal).toMatchObject({ path: "config.pbtxt", line: 1 });
  await end();
});

/** A list on the page. */
function List() {
  useTelling("list", ["Version 1 has no file model.py"]);
  return null;
}

test("what a list on the page says is not said again; the way there is offered", async () => {
  const list = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => list.render(<List />));
  const { page, button, end } = await shown({ errors: 1 }, []);
  expect(page.textContent).toContain("mine cannot be loaded like this.");
  expect(page.textContent).not.toContain("Version 1 has no file");
  expect(button("Show the problem")).toBeDefined();
  await end();
  await act(async () => list.unmount());
});

test("without an error it is simply loaded", async () => {
  const { button, end } = await shown({}, []);
  expect([button("Load it") !== undefined, button("Load anyway")]).toEqual([true, undefined]);
  await end();
});
