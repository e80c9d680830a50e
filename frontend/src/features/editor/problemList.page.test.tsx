import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { createStore } from "zustand";
import { clients } from "../../api/client";
import {
  Diagnostic_Severity,
  DiagnosticSchema,
  ListProblemsResponseSchema,
  ModelSummarySchema,
  RepositorySchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { usePlace } from "../../window/place";
import { useWorkspace } from "../../workspace/workspace";
import type { Finding } from "./findings";
import { ProblemList } from "./ProblemList";
import type { Session } from "./session";

const sessionOf = (
  model: string,
  findings: readonly Finding[],
  dependants: unknown[] = [],
  path = "config.pbtxt",
) =>
  ({
    file: { model, path },
    store: createStore(() => ({ findings, dependants, readOnly: false })),
  }) as unknown as Session;

const listProblems = vi.spyOn(clients.workspace, "listProblems");
listProblems.mockResolvedValue(create(ListProblemsResponseSchema));
afterEach(() => queryClient.clear());

const listOf = (session: Session) => (
  <QueryClientProvider client={queryClient}>
    <ProblemList session={session} />
  </QueryClientProvider>
);

/** A file without problems of its own. */
const sound = (model: string) => sessionOf(model, []);

const finding = (message: string, follows: boolean): Finding => ({
  from: 0,
  to: 0,
  diagnostic: create(DiagnosticSchema, { message, follows, severity: Diagnostic_Severity.ERROR }),
});

test("what only follows from an error in another model is shown and not counted", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const show = (findings: readonly Finding[]) =>
    act(async () => root.render(listOf(sessionOf("pair", findings))));
  const counted = () => document.querySelector('[role=img][aria-label="1 error"]')?.textContent;
  await show([finding("its model does not load", true)]);
  expect(document.querySelectorAll("li")).toHaveLength(1);
  expect(counted()).toBeUndefined();
  expect(document.body.textContent).toContain("None with its cause in this file");
  await show([finding("its model does not load", true), finding("a mistake here", false)]);
  expect(counted()).toBe("1");
  await act(async () => root.unmount());
});

test("errors, warnings and advice are counted apart, as in the list of models", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const of = (severity: Diagnostic_Severity, message: string): Finding => ({
    from: 0,
    to: 0,
    diagnostic: create(DiagnosticSchema, { message, severity }),
  });
  const { ERROR, WARNING, ADVICE } = Diagnostic_Severity;
  const findings = [of(ERROR, "a"), of(ERROR, "b"), of(WARNING, "c"), of(ADVICE, "d")];
  await act(async () => root.render(listOf(sessionOf("digits", findings))));
  const badges = () =>
    [...document.querySelectorAll("section[aria-label=Problems] > div [role=img]")].map((badge) =>
      badge.getAttribute("aria-label"),
    );
  expect(badges()).toEqual(["2 errors", "1 warning", "1 to improve"]);
  await act(async () => root.unmount());
});

test("what a program raised and the config has as well is not said to have its cause elsewhere", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const session = sessionOf("sums", [finding("ImportError: No module named 'x'", true)], [], "1/model.py");
  await act(async () => root.render(listOf(session)));
  expect(document.body.textContent).toContain("Counted with the problems of the config");
  await act(async () => root.unmount());
});

test("problems of other models are told of only where this one is made of them", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const models = [
    create(ModelSummarySchema, { name: "broken", errors: 1, warnings: 1 }),
    create(ModelSummarySchema, { name: "digits" }),
    create(ModelSummarySchema, { name: "read", uses: ["digits", "broken"] }),
    create(ModelSummarySchema, { name: "itself", uses: ["itself"], errors: 1 }),
  ];
  useWorkspace.setState({
    repository: create(RepositorySchema, { errors: 1, warnings: 1 }),
    models: new Map(models.map((model) => [model.name, model])),
  });
  const show = (model: string) => act(async () => root.render(listOf(sound(model))));
  await show("digits");
  expect(document.body.textContent).toBe("ProblemsNone in this file");
  expect(document.querySelector("ul")).toBeNull();
  await show("itself");
  expect(document.body.textContent).not.toContain("it uses");
  await show("read");
  expect(document.body.textContent).toContain("2 in broken that it uses");
  await act(async () => document.querySelector("button")?.click());
  expect(usePlace.getState().model).toBe("broken");
  await act(async () => root.unmount());
});

test("a problem in another file of the model is told of, and leads there", async () => {
  const severity = Diagnostic_Severity.ERROR;
  const raised = { severity, message: "ImportError: No module named 'x'", line: 3 };
  const files = [
    { model: "sums", path: "config.pbtxt", diagnostics: [{ ...raised, follows: true }] },
    { model: "sums", path: "1/model.py", diagnostics: [raised] },
    { model: "other", path: "1/model.py", diagnostics: [raised] },
  ];
  listProblems.mockResolvedValue(create(ListProblemsResponseSchema, { files }));
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () => root.render(listOf(sound("sums"))));
  await vi.waitFor(() => expect(document.body.textContent).toBe("ProblemsNone in this file1 in 1/model.py"));
  await act(async () => document.querySelector("button")?.click());
  expect(usePlace.getState()).toMatchObject({ model: "sums", reveal: { path: "1/model.py", line: 3 } });
  await act(async () => root.unmount());
});

test("what follows from a problem here is told of without saying it again", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const message = "Input x is FP16 here";
  const follows = create(DiagnosticSchema, {
    message: `Model "digits" of this step has an error of its own: input x is FP16 here`,
    follows: true,
    related: [{ model: "digits", line: 9, message }],
  });
  const dependants = [{ model: "read", path: "config.pbtxt", diagnostics: [follows] }];
  const show = (model: string) =>
    act(async () => root.render(listOf(sessionOf(model, [finding(message, false)], dependants))));
  await show("digits");
  expect(document.body.textContent?.match(/FP16/g)).toHaveLength(1);
  expect(document.body.textContent).toContain("This step does not load either");
  await show("other"); // elsewhere it is said once, with the way there
  expect(document.body.textContent?.match(/FP16/g)).toHaveLength(2);
  expect(document.body.textContent).toContain("digits, line 9");
  await act(async () => root.unmount());
});

test("many steps that do not load for one reason are one line, beside what else is wrong there", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const follows = [3, 7, 9].map((line) =>
    create(DiagnosticSchema, {
      line,
      from: line * 10,
      message: "its model does not load",
      follows: true,
      related: [{ model: "digits", line: 9, message: "a mistake here" }],
    }),
  );
  const other = create(DiagnosticSchema, { line: 5, message: "Tensor b is FP32 there" });
  const dependants = [{ model: "read", path: "config.pbtxt", diagnostics: [...follows, other] }];
  const session = sessionOf("digits", [finding("a mistake here", false)], dependants);
  await act(async () => root.render(listOf(session)));
  const rows = [...document.querySelectorAll("li")].map(({ textContent }) => textContent);
  expect(rows.slice(1)).toEqual([
    "In read, which uses this model",
    "Noteline 33 steps do not load eitherAlso in lines 7, 9",
    "Noteline 5Tensor b is FP32 there",
  ]);
  await act(async () => root.unmount());
});

test("an ensemble's own list has one row too for what stops many of its steps, and leads to each of them", async () => {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const at = (line: number): Finding => {
    const found = finding("its model does not load", true);
    return { ...found, diagnostic: { ...found.diagnostic, line, from: line * 10, to: line * 10 + 2 } };
  };
  await act(async () => root.render(listOf(sessionOf("read", [3, 7, 9].map(at)))));
  const rows = [...document.querySelectorAll("li")].map(({ textContent }) => textContent);
  expect(rows).toEqual(["Errorline 3its model does not loadAlso in lines 7, 9"]);
  await act(async () => document.querySelector<HTMLElement>("[aria-label='Line 9']")?.click());
  expect(usePlace.getState()).toMatchObject({ model: "read", reveal: { from: 90, to: 92 } });
  await act(async () => root.unmount());
});
