import { readFileSync } from "node:fs";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  Diagnostic_Severity,
  type DiagnosticSchema,
  Engine_State,
  ListProblemsResponseSchema,
  LoadAllResponseSchema,
  Notice_Level,
  WorkspaceUpdateSchema,
} from "../api/conch_pb";
import { queryClient } from "../api/queries";
import named from "../ui/Named.module.css";
import { showNotices } from "../window/asked";
import { goToRepository } from "../window/place";
import { reword, toast, useToasts } from "../window/toasts";
import { loadAllModels } from "../workspace/modelActions";
import { NoticesMenu } from "./NoticesMenu";
import list from "./NoticesMenu.module.css";
import { receive } from "./session";
import { Toasts } from "./Toasts";

vi.mock("../api/client", () => ({
  clients: { workspace: { listProblems: vi.fn() }, models: { loadAll: vi.fn() } },
}));

let root: Root;
const messages = () => document.querySelector("[aria-label='Messages']") as HTMLElement;
const bell = () => document.querySelector("button[aria-label^='Notices']") as HTMLButtonElement;
/** React hears of a pointer that enters by one that comes from elsewhere. */
const pointer = (type: "pointerover" | "pointerout") =>
  act(async () => messages().dispatchEvent(new MouseEvent(type, { bubbles: true })));

beforeEach(async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  useToasts.setState({ toasts: [], past: [], seen: 0 });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <NoticesMenu />
        <Toasts />
      </QueryClientProvider>,
    ),
  );
});

afterEach(async () => {
  await act(async () => root.unmount());
  vi.useRealTimers();
});

test("why begins with a capital in the message and in the list, but for a name", async () => {
  await act(async () => {
    toast({
      level: "error",
      text: "The models were not loaded",
      detail: "explicit model load is not allowed",
    });
    toast({ level: "error", text: "Not renamed", detail: "digits is open elsewhere", names: ["digits"] });
    showNotices(true);
  });
  const panel = document.querySelector("[role=dialog]");
  for (const place of [messages(), panel]) {
    expect(place?.textContent).toContain("not loadedExplicit model load is not allowed");
    expect(place?.textContent).toContain("Not renameddigits is open elsewhere");
  }
  await act(async () => showNotices(false));
});

test("a notice says how often, and waits under the pointer", async () => {
  await act(async () => {
    toast({ level: "error", text: "That was not done" });
    toast({ level: "error", text: "That was not done" });
  });
  expect(messages().textContent).toContain("That was not done (2 times)");
  await pointer("pointerover");
  await act(async () => vi.advanceTimersByTime(60_000));
  expect(messages().textContent).toContain("That was not done");
  await pointer("pointerout");
  await act(async () => vi.advanceTimersByTime(10_000));
  expect(messages().textContent).toBe("");
});

test("notices go on going after one that had the focus was dismissed", async () => {
  await act(async () => {
    toast({ level: "error", text: "First" });
    toast({ level: "error", text: "Second" });
  });
  const dismiss = messages().querySelector<HTMLButtonElement>("[aria-label=Dismiss]");
  await act(async () => dismiss?.focus());
  await act(async () => dismiss?.click());
  expect(messages().textContent).toBe("Second");
  await act(async () => vi.advanceTimersByTime(10_000));
  expect(messages().textContent).toBe("");
});

test.each([
  [true, ["Second", "First"]],
  [false, ["First", "Second"]],
])("a notice that comes moves none that is there (under the list: %s)", async (underList, order) => {
  await act(async () => root.render(<Toasts underList={underList} />));
  await act(async () => {
    toast({ level: "info", text: "First", action: { label: "Undo", run: () => {} } });
    toast({ level: "warning", text: "Second" });
  });
  const words = [...messages().querySelectorAll("[class*=whole]")].map((card) => card.textContent);
  expect(words).toEqual(order);
});

test("a long notice is shortened, and whole when that is asked for", async () => {
  const height = (name: "scrollHeight" | "clientHeight", value: number) =>
    vi.spyOn(Element.prototype, name, "get").mockReturnValue(value);
  const spies = [height("scrollHeight", 60), height("clientHeight", 60)];
  await act(async () => toast({ level: "error", text: "That was not done", detail: "For a reason." }));
  const more = () =>
    [...messages().querySelectorAll("button")].find((b) => /^(More|Less)$/.test(b.textContent));
  expect(more()).toBeUndefined();
  spies.push(height("scrollHeight", 200));
  await act(async () =>
    toast({ level: "error", text: "Another thing was not done", detail: "x ".repeat(400) }),
  );
  expect(more()?.textContent).toBe("More");
  expect(messages().querySelector("[class*=short]")?.textContent).toContain("Another thing");
  await act(async () => more()?.click());
  expect(more()?.textContent).toBe("Less");
  expect(messages().querySelector("[class*=short]")).toBeNull();
  for (const spy of spies.splice(1)) spy.mockRestore(); // its reason is said in fewer words
  await act(async () => reword(useToasts.getState().toasts.at(-1)?.id ?? 0, "Briefly."));
  expect(more()).toBeUndefined();
  for (const spy of spies) spy.mockRestore();
});

test("identifiers in a notice, in what it offers and in the list are set in the mono face", async () => {
  await act(async () =>
    toast({
      level: "warning",
      text: "a.b is unloaded; a cannot serve without it",
      names: ["a", "a.b"],
      detail: "the step wants a.b",
      action: { label: "Load a.b again", run: () => {} },
    }),
  );
  const set = (within: Element | null) =>
    [...(within?.querySelectorAll(`.${named.name}`) ?? [])].map(({ textContent }) => textContent);
  expect(set(messages())).toEqual(["a.b", "a", "a.b", "a.b"]);
  await act(async () => bell().click());
  expect(set(document.querySelector("[role=dialog]"))).toEqual(["a.b", "a", "a.b", "a.b"]);
});

test("a name in a notice is not broken in two, and is in its text once", async () => {
  await act(async () => toast({ level: "info", text: "customer_segmentation_pipeline was added" }));
  const word = messages().querySelector<HTMLElement>("[data-shown]");
  expect(word?.dataset.shown).toBe("customer_segmentation_pipeline");
  expect(messages().textContent).toBe("customer_segmentation_pipeline was added");
});

test("a notice waits while the focus is in it", async () => {
  await act(async () => toast({ level: "info", text: "loaded" }));
  const close = messages().querySelector("button[aria-label='Dismiss']") as HTMLButtonElement;
  await act(async () => close.focus());
  await act(async () => vi.advanceTimersByTime(60_000));
  expect(messages().textContent).toContain("loaded");
  await act(async () => close.click());
  await act(async () => toast({ level: "info", text: "again" }));
  await act(async () => vi.advanceTimersByTime(4_000));
  expect(messages().textContent).toBe("");
});

test("the list in the top bar has what has gone, and tells of new errors until it is opened", async () => {
  await act(async () => toast({ level: "error", text: "digits failed", detail: "no file" }));
  await act(async () => vi.advanceTimersByTime(10_000));
  expect(bell().getAttribute("aria-label")).toBe("Notices, 1 new error");
  await act(async () => bell().click());
  const list = document.querySelector("[role='dialog']") as HTMLElement;
  expect(list.textContent).toContain("digits failed");
  expect(list.textContent).toContain("No file");
  expect(list.querySelector("time")?.textContent).toMatch(/^\d\d:\d\d:\d\d$/);
  expect(bell().getAttribute("aria-label")).toBe("Notices");
});

test("five that come at once are three and the number of the others, which opens the list", async () => {
  await act(async () => {
    for (const name of ["a", "b", "c", "d", "e"]) toast({ level: "error", text: `${name} did not load` });
  });
  expect(messages().querySelectorAll("[role=alert]")).toHaveLength(3);
  const others = [...messages().querySelectorAll("button")].find((b) => b.textContent === "2 more notices");
  await act(async () => others?.click());
  expect(document.querySelectorAll("[role=dialog] li")).toHaveLength(5);
});

test("why a model did not load is said in the words of its problem, also where the engine tells of it first", async () => {
  const raw = "Internal: input is BAD in the model";
  const message = "Input x is FP16 here";
  const found = (diagnostics: MessageInitShape<typeof DiagnosticSchema>[]) =>
    vi.mocked(clients.workspace.listProblems).mockResolvedValue(
      create(ListProblemsResponseSchema, {
        files: [{ model: "digits", path: "config.pbtxt", diagnostics }],
      }),
    );
  found([]);
  goToRepository("overview");
  const text = `digits did not load: ${raw}`;
  const notice = {
    id: 900n,
    level: Notice_Level.ERROR,
    model: "digits",
    cause: "model digits",
    text,
    reason: raw,
  };
  await act(async () =>
    receive(
      create(WorkspaceUpdateSchema, {
        seq: 1n,
        repository: { id: "r" },
        engine: { state: Engine_State.READY },
      }),
    ),
  );
  await act(async () => receive(create(WorkspaceUpdateSchema, { seq: 2n, notices: [notice] })));
  await vi.waitFor(() => expect(messages().textContent).toContain(raw));
  found([{ severity: Diagnostic_Severity.ERROR, message, triton: "input is BAD in the model" }]);
  await act(async () => receive(create(WorkspaceUpdateSchema, { seq: 3n, problems: true })));
  await vi.waitFor(() => expect(messages().textContent).toContain(message));
  expect(messages().textContent).not.toContain("BAD");
  expect(useToasts.getState().past.map(({ detail }) => detail)).toEqual([message]);
});

test("why the first of several models did not load is said in the words of its problem", async () => {
  queryClient.removeQueries();
  const triton = "in ensemble pair, t0 is mapped to no input";
  const message = "Model add_sub has no input INPUT_1";
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(
    create(ListProblemsResponseSchema, {
      files: [
        {
          model: "pair",
          path: "config.pbtxt",
          diagnostics: [{ severity: Diagnostic_Severity.ERROR, message, triton }],
        },
      ],
    }),
  );
  const failed = ["pair", "other"].map((name) => ({
    name,
    reason: `load failed for model '${name}': ${triton}`,
  }));
  vi.mocked(clients.models.loadAll).mockResolvedValue(
    create(LoadAllResponseSchema, { loaded: ["a"], failed }),
  );
  await act(async () => loadAllModels());
  await vi.waitFor(() => expect(messages().textContent).toContain(message));
  expect(useToasts.getState().past[0]).toMatchObject({
    text: "1 loaded, 2 failed",
    detail: `The first is pair: ${message}`,
  });
});

test("a sentence with a word that has no room is no wider than the list of notices", async () => {
  const path = "./NoticesMenu.module.css"; // no literal below: Vite would turn it into the address of an asset
  const css = readFileSync(new URL(path, import.meta.url), "utf8");
  const style = document.head.appendChild(document.createElement("style"));
  style.textContent = css.replace(/\.([a-z]+)\b/g, (whole, name) => (list[name] ? `.${list[name]}` : whole));
  const file = "file=/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_call.cc";
  await act(async () => toast({ level: "error", text: `The engine ended: ${file}`, detail: file }));
  await act(async () => showNotices(true));
  const sentences = [...document.querySelectorAll("[role=dialog][aria-label=Notices] li > div > div")];
  expect(sentences.map((one) => getComputedStyle(one).maxWidth)).toEqual(["100%", "100%"]);
  style.remove();
});
