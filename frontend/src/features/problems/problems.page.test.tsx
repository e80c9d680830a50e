import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { ListProblemsResponseSchema } from "../../api/conch_pb";
import { keys, queryClient } from "../../api/queries";
import { repair } from "../../workspace/repair";
import { ProblemsView } from "./ProblemsView";

vi.mock("../../api/client", () => ({ clients: { workspace: { listProblems: vi.fn() } } }));
vi.mock("../../workspace/repair", () => ({ repair: vi.fn() }));

let root: Root;
const rows = () => [...document.querySelectorAll("li")].map((row) => row.textContent);
const named = (name: string) =>
  [...document.querySelectorAll("button")].find((one) =>
    one.textContent?.includes(name),
  ) as HTMLButtonElement;

const problem = (line: number) => ({
  code: "XX1",
  message: `problem ${line}`,
  line,
  fixes: [{ title: `fix ${line}`, safe: true }, { title: "other" }],
});

const list = (...lines: number[]) =>
  create(ListProblemsResponseSchema, {
    files: lines.length === 0 ? [] : [{ model: "m", path: "config.pbtxt", diagnostics: lines.map(problem) }],
  });

/** The program tells which problems there are now. */
async function now(...lines: number[]) {
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(list(...lines));
  await act(async () => queryClient.invalidateQueries({ queryKey: keys.problems() }));
}

const files = () => document.querySelector("section[aria-label='Problems of m/config.pbtxt']")?.parentElement;

const leave = () => act(async () => files()?.dispatchEvent(new MouseEvent("pointerout", { bubbles: true })));

beforeEach(async () => {
  queryClient.clear();
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(list(1, 2));
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <ProblemsView />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(rows()).toHaveLength(2));
});

afterEach(() => act(async () => root.unmount()));

test("a repaired row stays with its undo until the pointer leaves, so that the next does not slide under it", async () => {
  const undo = vi.fn();
  vi.mocked(repair).mockResolvedValue(undo);
  await act(async () => named("fix 1").click());
  await now(2);
  await vi.waitFor(() => expect(rows()[0]).toContain("Fixed"));
  expect(rows()).toHaveLength(2);
  expect(named("fix 2")).toBeDefined();
  await act(async () => named("Undo").click());
  expect(undo).toHaveBeenCalledOnce();
  await leave();
  expect(rows()).toHaveLength(1);
  expect(rows()[0]).toContain("problem 2");
});

const label = (text: string) =>
  [...document.querySelectorAll("button")].filter((one) => one.textContent === text);

test("what a fix brings is told in the row and above the list, which stands still until it is wanted", async () => {
  await act(async () => named("fix 1").click());
  await now(2, 3, 4);
  await vi.waitFor(() => expect(rows()[0]).toContain("FixedShow 2 new problems"));
  expect(rows()).toHaveLength(2);
  expect(document.querySelector("[role=status]")?.textContent).toBe("Show 2 new problems");
  expect(label("Show 2 new problems")).toHaveLength(2);
  await act(async () => label("Show 2 new problems")[1]?.click());
  expect(rows().map((text) => text?.match(/problem \d/)?.[0])).toEqual([
    "problem 2",
    "problem 3",
    "problem 4",
  ]);
  expect(label("Show 2 new problems")).toHaveLength(0);
});

test("what came is counted as the list would show it", async () => {
  await act(async () => named("fix 1").click());
  await now(2, 3);
  await vi.waitFor(() => expect(label("Show 1 new problem")).toHaveLength(2));
  await act(async () => named("Errors").click()); // all of them are of no severity here
  expect(document.querySelector("[role=status]")?.textContent).toBe("");
});

test("a repair by keys holds the list until the focus leaves it", async () => {
  named("fix 1").focus();
  await act(async () => named("fix 1").click());
  await now(2, 3);
  await vi.waitFor(() => expect(rows()[0]).toContain("Fixed"));
  expect(rows()).toHaveLength(2);
  await act(async () => named("fix 2").focus());
  expect(rows()).toHaveLength(2);
  await act(async () => named("All").focus());
  expect(rows().map((text) => text?.match(/problem \d/)?.[0])).toEqual(["problem 2", "problem 3"]);
});

test("the room below the rows is not on them", async () => {
  await act(async () => named("fix 1").click());
  await now(2);
  await vi.waitFor(() => expect(rows()[0]).toContain("Fixed"));
  const room = document.querySelector("[class*=list]"); // what scrolls: it is as high as the page
  const row = document.querySelector("li");
  await act(async () =>
    row?.dispatchEvent(new MouseEvent("pointerout", { bubbles: true, relatedTarget: room })),
  );
  expect(rows()).toHaveLength(1);
});

test("every fix is offered, as in the editor", () => {
  expect(document.querySelectorAll("button[aria-label='Other fixes']")).toHaveLength(2);
});

test("what stops many steps for one reason is one row, as in the list of its model", async () => {
  const stopped = (line: number) => ({ ...problem(1), follows: true, line, from: line * 10, fixes: [] });
  const diagnostics = [
    stopped(3),
    stopped(7),
    problem(5),
    stopped(9),
    { ...stopped(11), message: "another" },
  ];
  const files = [{ model: "m", path: "config.pbtxt", diagnostics }];
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(create(ListProblemsResponseSchema, { files }));
  await act(async () => queryClient.invalidateQueries({ queryKey: keys.problems() }));
  await vi.waitFor(() => expect(rows()).toHaveLength(3));
  expect(rows()[0]).toContain("line 3problem 1Also in lines 7, 9");
  expect(rows()[1]).toContain("problem 5");
  expect(rows()[2]).toContain("line 11another");
});

test("the lists of two files of one model have names of their own", async () => {
  const files = ["config.pbtxt", "1/model.py"].map((path) => ({
    model: "m",
    path,
    diagnostics: [problem(1)],
  }));
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(create(ListProblemsResponseSchema, { files }));
  await act(async () => queryClient.invalidateQueries({ queryKey: keys.problems() }));
  const names = () =>
    [...document.querySelectorAll("section")].map((list) => list.getAttribute("aria-label"));
  await vi.waitFor(() => expect(names()).toEqual(["Problems of m/config.pbtxt", "Problems of m/1/model.py"]));
});

test("of hundreds of files the first screen is there at once, and the others follow", async () => {
  const files = Array.from({ length: 120 }, (_, i) => ({
    model: `m${i}`,
    path: "config.pbtxt",
    diagnostics: [problem(1)],
  }));
  const growth: number[] = [];
  const watch = new MutationObserver(() => growth.push(document.querySelectorAll("li").length));
  watch.observe(document.body, { childList: true, subtree: true });
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(create(ListProblemsResponseSchema, { files }));
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", false); // React renders when it wants to
  await queryClient.invalidateQueries({ queryKey: keys.problems() });
  await vi.waitFor(() => expect(document.querySelectorAll("li")).toHaveLength(120));
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  watch.disconnect();
  expect(growth.find((count) => count > 2)).toBeLessThan(60);
});

test("what a problem names is in the mono face, in its message and its places", async () => {
  const message = 'Model "sums" has no input "IN"; it has "A"';
  const related = [{ model: "sums", path: "config.pbtxt", line: 3, message: 'The inputs of "sums"' }];
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(
    create(ListProblemsResponseSchema, {
      files: [
        { model: "m", path: "config.pbtxt", diagnostics: [{ code: "EV2", message, line: 1, related }] },
      ],
    }),
  );
  await act(async () => queryClient.invalidateQueries({ queryKey: keys.problems() }));
  await vi.waitFor(() => expect(rows()).toHaveLength(1));
  const inMono = [...document.querySelectorAll("li [class*=name]")].map((one) => one.textContent);
  expect(inMono).toEqual(['"sums"', '"IN"', '"A"', "sums", '"sums"']);
});
