import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  Diagnostic_Severity,
  GetGraphResponseSchema,
  InferResponseSchema,
  ListProblemsResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { InputsError } from "../../requests/request";
import { patchTry } from "../../requests/tries";
import named from "../../ui/Named.module.css";
import { repair } from "../../workspace/repair";
import { useWorkspace } from "../../workspace/workspace";
import { GraphDetail } from "./GraphDetail";
import { openDetail } from "./selection";

vi.mock("../../workspace/repair", () => ({ repair: vi.fn() }));

/** The identifiers in a sentence of the detail. */
const mono = (page: Element) => [...page.querySelectorAll(`.${named.name}`)].map((name) => name.textContent);
const problem = 'no step gives the tensor "rihgt"; did you mean "right"?';

afterEach(() => expect(console.error).not.toHaveBeenCalled()); // such as updates that no act waits for

test("the detail of a broken edge has the fixes of the config's problem, and a sound one has none", async () => {
  vi.spyOn(console, "error");
  useWorkspace.setState({ connection: "live" });
  const ends = { source: "step:0", sourcePort: "right", target: "step:1", targetPort: "IN" };
  vi.spyOn(clients.models, "getGraph").mockResolvedValue(
    create(GetGraphResponseSchema, {
      nodes: [
        { id: "step:0", label: "first", model: "first", outputs: [{ name: "right", datatype: "FP32" }] },
        { id: "step:1", label: "second", model: "second", inputs: [{ name: "IN", datatype: "FP32" }] },
      ],
      edges: [
        { id: "bad", tensor: "rihgt", problem, ...ends },
        { id: "good", tensor: "left", datatype: "FP32", ...ends },
      ],
    }),
  );
  const fix = { title: "Read right instead of rihgt", edits: [{ from: 4, to: 9, insert: "right" }] };
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(
    create(ListProblemsResponseSchema, {
      files: [
        {
          model: "other",
          path: "config.pbtxt",
          diagnostics: [{ severity: Diagnostic_Severity.ERROR, message: problem }],
        },
        {
          model: "pair",
          path: "config.pbtxt",
          diagnostics: [
            { severity: Diagnostic_Severity.ERROR, message: "something else", fixes: [{ title: "No" }] },
            { severity: Diagnostic_Severity.ERROR, message: problem, fixes: [fix] },
          ],
        },
      ],
    }),
  );
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <GraphDetail model="pair" />
      </QueryClientProvider>,
    ),
  );
  act(() => openDetail("pair", "bad"));
  const button = () =>
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent?.includes(fix.title));
  await vi.waitFor(() => expect(button()).toBeDefined());
  expect(mono(page)).toEqual(['"rihgt"', '"right"']);
  await act(async () => button()?.click());
  const [file, found, done] = vi.mocked(repair).mock.calls[0] ?? [];
  expect([file?.model, found?.message, done?.title]).toEqual(["pair", problem, fix.title]);
  act(() => openDetail("pair", "good"));
  expect(page.textContent).toContain("Types and shapes agree");
  expect(mono(page)).toEqual(["first", "second"]);
  expect(button()).toBeUndefined();
  expect(page.textContent).not.toContain("Also to");
  await act(async () => root.unmount());
});

test("the detail of a tensor that goes to several steps names all of them, and leads there", async () => {
  const from = { tensor: "left", datatype: "FP32", source: "step:0", sourcePort: "OUT" };
  vi.spyOn(clients.models, "getGraph").mockResolvedValue(
    create(GetGraphResponseSchema, {
      nodes: ["first", "second", "third", "fourth"].map((label, i) => ({
        id: `step:${i}`,
        label,
        model: label,
      })),
      edges: [
        { id: "a", ...from, target: "step:1", targetPort: "x" },
        { id: "b", ...from, target: "step:2", targetPort: "y" },
        { id: "other", ...from, sourcePort: "OUT2", target: "step:3", targetPort: "z" },
      ],
    }),
  );
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <GraphDetail model="fan" />
      </QueryClientProvider>,
    ),
  );
  act(() => openDetail("fan", "b"));
  await vi.waitFor(() => expect(page.textContent).toContain("From first as OUT to third as y"));
  expect(page.textContent).toContain("Also to second as x");
  expect(page.textContent).not.toContain("fourth");
  const second = [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "second");
  await act(async () => second?.click());
  expect(page.textContent).toContain("From first as OUT to second as x");
  await act(async () => root.unmount());
});

test("the detail gives way to what says why a request was not sent, and stays over an answer", async () => {
  vi.spyOn(console, "error");
  const nodes = [{ id: "step:0", label: "first", model: "first" }];
  vi.spyOn(clients.models, "getGraph").mockResolvedValue(create(GetGraphResponseSchema, { nodes }));
  patchTry("unsent", { undone: { what: "The request was not sent", why: "The engine starts." } });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <GraphDetail model="unsent" />
      </QueryClientProvider>,
    ),
  );
  const isOpen = () => page.querySelector("[aria-label='Details of first']") !== null;
  const open = async () => {
    act(() => openDetail("unsent", "step:0"));
    await vi.waitFor(() => expect(isOpen()).toBe(true));
  };
  await open(); // what was said before stays there
  await act(async () =>
    patchTry("unsent", { undone: undefined, answer: { at: 1, response: create(InferResponseSchema) } }),
  );
  expect(isOpen()).toBe(true);
  const failure = new InputsError([{ input: "IMAGE", message: "Nothing is drawn yet" }]);
  await act(async () => patchTry("unsent", { answer: { at: 2, failure } }));
  expect(isOpen()).toBe(false);
  await open();
  await act(async () =>
    patchTry("unsent", { undone: { what: "The request was not sent", why: "The engine starts." } }),
  );
  expect(isOpen()).toBe(false);
  await act(async () => root.unmount());
});
