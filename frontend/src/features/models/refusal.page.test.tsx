import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Access_Trust,
  Diagnostic_Severity,
  ListProblemsResponseSchema,
  LoadResponseSchema,
  ModelState,
  type ModelSummary,
  ModelSummarySchema,
  RepositorySchema,
  SetAccessResponseSchema,
} from "../../api/conch_pb";
import { keys, queryClient } from "../../api/queries";
import { wear } from "../../testing/styles";
import named from "../../ui/Named.module.css";
import { useToasts } from "../../window/toasts";
import box from "../../workspace/ErrorBox.module.css";
import { type Action, useModelActions } from "../../workspace/modelActions";
import { useWorkspace } from "../../workspace/workspace";
import { RefusalBanner } from "./RefusalBanner";

const page = document.body.appendChild(document.createElement("div"));

/** What a refused load, or something else that was refused, shows of a model. */
async function shown(model: ModelSummary, reason: string, action: Action = "load"): Promise<Root> {
  useModelActions.setState({ refused: { [model.name]: { action, reason } } });
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <RefusalBanner model={model} />
      </QueryClientProvider>,
    ),
  );
  return root;
}

test("the useful words of a failed load come first, and Triton's whole sentence after them", async () => {
  const model = create(ModelSummarySchema, { name: "failed", state: ModelState.FAILED });
  const begin = "load failed for model 'failed': version 1 is at UNAVAILABLE state: Unavailable: ";
  const root = await shown(model, `${begin}no module torch;\n`);
  expect(page.textContent).toContain(`was not loadedNo module torch${begin}`);
  await act(async () => root.unmount());
  const two = `${begin}no module torch;\nversion 2 is at UNAVAILABLE state: Internal: x;\n`;
  const other = await shown(model, two);
  expect(page.textContent).toContain(`was not loadedL${begin.slice(1)}`); // a box begins with a capital
  await act(async () => other.unmount());
});

test("a refused unload offers the ensembles too, but of a server that unloads nothing on request", async () => {
  const model = create(ModelSummarySchema, {
    name: "digits",
    state: ModelState.READY,
    usedBy: ["read_digit"],
  });
  const offers = async (reason: string) => {
    const root = await shown(model, reason, "unload");
    const labels = [...page.querySelectorAll("button")].map(({ textContent }) => textContent);
    await act(async () => root.unmount());
    return labels;
  };
  expect(await offers("it is used")).toEqual(["Unload with read_digit", "Dismiss"]);
  expect(
    await offers("explicit model load / unload is not allowed if polling is enabled. Start the"),
  ).toEqual(["Dismiss"]);
});

test("a long reason is scrolled in a few lines, also by key, so that the page below is in sight", async () => {
  const heights = vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockReturnValue(0);
  const model = create(ModelSummarySchema, { name: "failed", state: ModelState.FAILED });
  const reason = () => page.querySelector<HTMLElement>("[aria-label=Reason]");
  const root = await shown(model, "no module torch");
  expect(reason()).toBeNull();
  await act(async () => root.unmount());
  heights.mockReturnValue(400);
  const long = await shown(model, "Traceback:\n".repeat(40));
  wear("workspace/ErrorBox.module.css", box);
  const shows = reason();
  expect([shows?.tabIndex, shows && getComputedStyle(shows).maxHeight]).toEqual([0, "102px"]);
  document.head.replaceChildren();
  heights.mockRestore();
  await act(async () => long.unmount());
});

test("of a config that Triton does not take its first error is told", async () => {
  const severity = Diagnostic_Severity.ERROR;
  const diagnostics = [
    { severity: Diagnostic_Severity.WARNING, message: "odd" },
    { severity, message: "the step's model fails", follows: true },
    { severity, message: "max_batch_size wants a number" },
  ];
  const files = [{ model: "failed", path: "config.pbtxt", diagnostics }];
  queryClient.setQueryData(keys.problems(), create(ListProblemsResponseSchema, { files }));
  const model = create(ModelSummarySchema, { name: "failed", state: ModelState.OLDER_SERVES });
  const root = await shown(model, "failed to load 'failed', failed to poll from model repository");
  expect(page.textContent).toContain("was not loadedmax_batch_size wants a number");
  await act(async () => root.unmount());
  queryClient.clear();
});

test("a load that waits for trust offers the trust itself, and is over with it", async () => {
  const model = create(ModelSummarySchema, { name: "program", state: ModelState.UNTRUSTED });
  const reason = "model 'program' runs the program 'model.py', and this repository is not trusted.";
  const root = await shown(model, reason);
  const buttons = [...page.querySelectorAll("button")].map(({ textContent }) => textContent);
  expect(buttons).toEqual(["Trust this repository", "Dismiss"]);
  const access = { trust: Access_Trust.TRUSTED };
  await act(async () => useWorkspace.setState({ repository: create(RepositorySchema, { access }) }));
  expect(page.textContent).toBe("");
  await act(async () => root.unmount());
});

test("names of models are set as identifiers: in the title, in the reason and in what can be done", async () => {
  const names = ["simple", "read_digit", "of"];
  useWorkspace.setState({
    models: new Map(names.map((name) => [name, create(ModelSummarySchema, { name })])),
  });
  const model = create(ModelSummarySchema, { name: "simple", usedBy: ["read_digit", "of"] });
  const root = await shown(model, "the ensemble 'of' and read_digit use simple, a part of them", "unload");
  const set = [...page.querySelectorAll(`.${named.name}`)].map(({ textContent }) => textContent);
  expect(set).toEqual(["simple", "of", "read_digit", "simple", "read_digit", "of"]);
  await act(async () => root.unmount());
});

test("a model whose GPUs are missing names the setting that refuses it, and a press runs it here", async () => {
  const withoutStrict = "instance group m_0 asks for KIND_GPU and runs on the CPU here";
  const model = create(ModelSummarySchema, { name: "m", state: ModelState.FAILED, withoutStrict });
  useWorkspace.setState({ repository: create(RepositorySchema, { access: { strictGpu: true } }) });
  const change = vi.spyOn(clients.workspace, "setAccess").mockResolvedValue(create(SetAccessResponseSchema));
  const load = vi.spyOn(clients.models, "load").mockResolvedValue(create(LoadResponseSchema));
  const root = await shown(
    model,
    "instance group m_0 of model m has kind KIND_GPU but no GPUs are available",
  );
  expect(page.textContent).toContain("has kind KIND_GPU but no GPUs are available");
  expect(page.textContent).toContain(
    "“Refuse models whose GPUs are missing” in Settings refuses it. Without it: Instance group m_0 asks for KIND_GPU and runs on the CPU here",
  );
  const press = [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Run it here");
  await act(async () => press?.click());
  await vi.waitFor(() => expect(load).toHaveBeenCalledOnce());
  expect(change).toHaveBeenCalledWith(expect.objectContaining({ strictGpu: false }));
  const notice = useToasts.getState().past.find(({ text }) => text.includes("is off now, for all models"));
  notice?.action?.run();
  expect(change).toHaveBeenLastCalledWith(expect.objectContaining({ strictGpu: true }));
  await act(async () => root.unmount());
});

test("a model that fails for another reason names no setting", async () => {
  const root = await shown(create(ModelSummarySchema, { name: "m", state: ModelState.FAILED }), "no file");
  expect(page.textContent).not.toContain("Settings");
  expect(page.textContent).not.toContain("Run it here");
  await act(async () => root.unmount());
});
