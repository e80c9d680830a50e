import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  EngineSchema,
  FindTensorsResponseSchema,
  ListHistoryResponseSchema,
  ListProblemsResponseSchema,
  ModelState,
  ModelSummarySchema,
  RepositorySchema,
} from "../api/conch_pb";
import { problemsQuery, queryClient } from "../api/queries";
import { wear } from "../testing/styles";
import { enter } from "../testing/typing";
import named from "../ui/Named.module.css";
import { useAsked } from "../window/asked";
import { useDialogs } from "../window/dialogs";
import { usePlace } from "../window/place";
import { useWorkspace } from "../workspace/workspace";
import { Palette } from "./Palette";
import css from "./Palette.module.css";
import { usePalette } from "./paletteState";

const digits = create(ModelSummarySchema, { name: "digits", state: ModelState.LOADING, reload: "ask" });

/** What was scrolled into sight last. */
let shown: Element | undefined;
Element.prototype.scrollIntoView = function scrolled() {
  shown = this;
};

beforeEach(async () => {
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => setTimeout(run));
  document.body.replaceChildren();
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(create(ListProblemsResponseSchema));
  vi.spyOn(clients.tryIt, "listHistory").mockResolvedValue(create(ListHistoryResponseSchema));
  vi.spyOn(clients.editor, "findTensors").mockImplementation(async ({ text }) =>
    create(FindTensorsResponseSchema, {
      tensors: "image".includes(text ?? "")
        ? [
            {
              model: "digits",
              name: "image",
              title: 'input "image" of digits',
              detail: "FP32 [64]",
              path: "c",
              from: 3,
              to: 9,
            },
            { model: "raw", name: "image", title: 'output "image" of raw', path: "c" },
          ]
        : [],
    }),
  );
  usePlace.setState({ model: "digits", modelTab: "try", reveal: undefined });
  useWorkspace.setState({
    seq: 1n,
    connection: "live",
    models: new Map([["digits", digits]]),
    repository: create(RepositorySchema, { roots: ["/r"] }),
    engine: create(EngineSchema, { httpAddress: "127.0.0.1:8000" }),
  });
  usePalette.setState({ open: true });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <main tabIndex={-1}>page</main>
        <Palette />
      </QueryClientProvider>,
    ),
  );
  return () => act(async () => root.unmount());
});

const items = () => [...document.querySelectorAll("[cmdk-item]")].map((item) => item.textContent);

const type = (text: string) =>
  act(async () => enter(document.querySelector<HTMLInputElement>("[cmdk-input]"), text));

async function choose(text: string, label: RegExp) {
  await type(text);
  const found = () =>
    [...document.querySelectorAll<HTMLElement>("[cmdk-item]")].find((item) =>
      label.test(item.textContent ?? ""),
    );
  await vi.waitFor(() => expect(found()).toBeDefined());
  await act(async () => found()?.click());
  await act(() => new Promise((resolve) => setTimeout(resolve)));
}

test("a tensor that was in no request is found, and its place in the config is shown", async () => {
  await type("image");
  await vi.waitFor(() => expect(items()).toContain('Input "image" of digitsFP32 [64]'));
  const tensor = [...document.querySelectorAll("[cmdk-item]")].find((item) =>
    item.textContent?.startsWith("Input"),
  );
  const names = [...(tensor?.querySelectorAll(`.${named.name}`) ?? [])].map(({ textContent }) => textContent);
  expect(names).toEqual(['"image"', "digits"]);
  await choose("image", /^Input "image"/);
  expect(usePlace.getState()).toMatchObject({ model: "digits", reveal: { path: "c", from: 3, to: 9 } });
});

test("a tensor that only a model's file declares leads to its config", async () => {
  await choose("image", /^Output "image" of raw/);
  expect(usePlace.getState()).toMatchObject({ model: "raw", modelTab: "config", reveal: undefined });
});

test("the list of refused requests and the search in the config are commands", async () => {
  await choose("refused", /^Refused requests/);
  expect(usePlace.getState()).toMatchObject({ model: "", repositoryTab: "requests" });
  expect(useAsked.getState().whose).toBe("refused");
});

test("what the menus of the window offer is in the palette", async () => {
  await choose("search in the config", /^Search in the config/);
  expect(useAsked.getState().editor).toBe("search");
  await act(async () => usePalette.setState({ open: true }));
  for (const wanted of [
    "Restart the engine",
    "Reload all models",
    "Load all models",
    "Stop loading digits",
    "Rename digits",
    "Copy the name of digits",
    "Copy the folder of digits",
    "digits: ignore changed files",
    "Outline of the config",
    "Format the config",
    "Copy the HTTP address",
    "Trust this repository",
    "Take configs from clients",
    "Notices",
    "New model",
    "About Conch",
  ]) {
    await type(wanted.toLowerCase());
    expect(items().some((item) => item?.startsWith(wanted))).toBe(true);
  }
});

test("a list of other models' commands that ends says how many more there are", async () => {
  const many = Array.from({ length: 10 }, (_, at) => ({ ...digits, name: `model_${at}`, reload: "" }));
  await act(async () => useWorkspace.setState({ models: new Map(many.map((one) => [one.name, one])) }));
  await type("files");
  expect(document.querySelector("[cmdk-list]")?.textContent).toMatch(/model_7: files2 more commands: type/);
});

test("the settings are found by that word, in the order of their menu and before all else", async () => {
  await type("settings");
  const wanted = [
    "Theme: as the system",
    "Theme: light",
    "Theme: dark",
    "Show or hide the sidebar",
    "Trust this repository",
    "Take configs from clients",
    "Refuse models whose GPUs are missing",
    "Keys",
    "Installed Python packages",
    "About Conch",
    "ONNX Runtime…",
  ];
  expect(items().map((item, at) => item?.slice(0, wanted[at]?.length))).toEqual(wanted);
});

const selected = () => document.querySelector('[cmdk-item][data-selected="true"]')?.textContent;

test("what is called exactly as what was typed is selected, else the first entry", async () => {
  expect(selected()).toBe(items()[0]);
  await type("image"); // tensors come later than the rest
  await vi.waitFor(() => expect(selected()).toBe(items()[0]));
  await type("notices");
  await vi.waitFor(() => expect(selected()).toMatch(/^Notices/));
  const models = new Map(
    ["reload_all_models_now", "reload all models"].map((name) => [
      name,
      create(ModelSummarySchema, { name }),
    ]),
  );
  await act(async () => useWorkspace.setState({ models }));
  await type("reload all models");
  await vi.waitFor(() => expect(selected()).toMatch(/reload all models$/));
});

test("what says the word that was typed comes before a model that has no more than its letters", async () => {
  const models = new Map([["a_b_o_u_t", create(ModelSummarySchema, { name: "a_b_o_u_t" })]]);
  await act(async () => useWorkspace.setState({ models }));
  await type("about");
  await vi.waitFor(() => expect(selected()).toMatch(/^About Conch/));
  expect(items().some((item) => item?.includes("a_b_o_u_t"))).toBe(true);
  await type("a_b");
  await vi.waitFor(() => expect(selected()).toContain("a_b_o_u_t"));
});

test("after a choice the focus is on the page, and the palette begins empty again", async () => {
  await choose("digits", /^digits/);
  await vi.waitFor(() => expect(document.activeElement).toBe(document.querySelector("main")));
  await act(async () => usePalette.setState({ open: true }));
  expect(document.querySelector<HTMLInputElement>("[cmdk-input]")?.value).toBe("");
});

test("the selected entry is in sight: when the palette opens, with what was typed, and after each key", async () => {
  await choose("digits", /^digits/);
  await act(async () => usePalette.setState({ open: true }));
  const now = () =>
    document.querySelector('[cmdk-item][data-selected="true"]') ?? expect.fail("none is selected");
  expect(now()).toBe(document.querySelector("[cmdk-item]"));
  expect(shown).toBe(now());
  const field = document.querySelector("[cmdk-input]");
  for (const key of ["ArrowDown", "ArrowDown", "End", "ArrowDown", "ArrowUp", "ArrowUp"]) {
    const before = now();
    await act(async () => field?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })));
    expect(now()).not.toBe(before);
    expect(shown).toBe(now());
  }
  await type("notices");
  expect(selected()).toMatch(/^Notices/);
  expect(shown).toBe(now());
});

test("an entry that the pointer selects stays under it", async () => {
  shown = undefined;
  const last = [...document.querySelectorAll("[cmdk-item]")].at(-1) ?? expect.fail("the list is empty");
  await act(async () => last.dispatchEvent(new Event("pointermove", { bubbles: true })));
  expect(last.getAttribute("aria-selected")).toBe("true");
  expect(shown).toBeUndefined();
});

test("what begins with a model's name is on one line", async () => {
  const entries = [{ id: 1n, model: "digits", ok: true, summary: "image FP32 [64]", time: 1n }];
  vi.mocked(clients.tryIt.listHistory).mockResolvedValue(create(ListHistoryResponseSchema, { entries }));
  wear("ui/Named.module.css", named);
  wear("app/Palette.module.css", css);
  await type("digi");
  const name = await vi.waitFor(() => {
    const item = [...document.querySelectorAll("[cmdk-item]")].find((one) =>
      one.textContent?.includes("FP32 [64]"),
    );
    return item?.querySelector("span > span") ?? expect.fail("no request is found");
  });
  expect(name.textContent).toBe("digits");
  expect(getComputedStyle(name).whiteSpace).toBe("pre");
  document.head.replaceChildren();
});

test("the tensors of a request are in the mono face, as in the list of requests", async () => {
  const summary = "image FP32 [1, 64] -> scores FP32 [1, 10]";
  const entries = [{ id: 1n, model: "digits", ok: true, summary, time: 1n }];
  vi.mocked(clients.tryIt.listHistory).mockResolvedValue(create(ListHistoryResponseSchema, { entries }));
  await type("scores");
  const names = () => [...document.querySelectorAll(`.${named.name}`)].map((name) => name.textContent);
  await vi.waitFor(() => expect(names()).toContain("image FP32 [1, 64] → scores FP32 [1, 10]"));
});

test("any ONNX model can be converted, also one that is not on the screen", async () => {
  const other = (name: string, kind: string) => create(ModelSummarySchema, { name, kind });
  const models = [other("digits", "ONNX"), other("resnet", "ONNX"), other("resnet_py", "Python")];
  await act(async () =>
    useWorkspace.setState({ models: new Map(models.map((model) => [model.name, model])) }),
  );
  await type("resne");
  expect(items()).not.toContain("Convert resnet");
  await type("convert");
  expect(items().filter((text) => text?.startsWith("Convert"))).toEqual(["Convert digits", "Convert resnet"]);
  await type("int8 res");
  expect(items().filter((text) => text?.startsWith("Convert"))).toEqual(["Convert resnet"]);
  await choose("convert resnet", /^Convert resnet$/);
  await vi.waitFor(() => expect(useDialogs.getState()).toMatchObject({ open: "convert", model: "resnet" }));
});

test("the field names the selected entry, also when the models change places with the rest", async () => {
  await type("ds"); // letters of a name: a guess, which comes last
  await vi.waitFor(() => expect(items().at(-1)).toContain("digits"));
  await type("d");
  await vi.waitFor(() => expect(items()[0]).toContain("digits"));
  const field = document.querySelector("[cmdk-input]");
  const selected = () => document.getElementById(field?.getAttribute("aria-activedescendant") ?? "");
  expect(selected()?.textContent).toContain("digits");
  expect(selected()?.getAttribute("aria-selected")).toBe("true");
});

test("a problem of a model with a long name says what it is", async () => {
  const model = "invoice_number_reader_for_the_production_line_of_warehouse_seven_v2";
  const found = { line: 10, message: 'Input "image" has 63 elements here' };
  const files = [{ model, path: "config.pbtxt", diagnostics: [found] }];
  queryClient.setQueryData(problemsQuery().queryKey, create(ListProblemsResponseSchema, { files }));
  await type("production_line elements");
  await vi.waitFor(() =>
    expect(items()).toContain('invoice_number…ouse_seven_v2, line 10: Input "image" has 63 elements here'),
  );
  const inMono = [...document.querySelectorAll(`[cmdk-item] .${named.name}`)].map((one) => one.textContent);
  expect(inMono).toEqual(["invoice_number…ouse_seven_v2", '"image"']);
});
