import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { Diagnostic_Severity, ListProblemsResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { wear } from "../../testing/styles";
import { ProblemsView } from "./ProblemsView";
import css from "./problems.module.css";

vi.mock("../../api/client", () => ({ clients: { workspace: { listProblems: vi.fn() } } }));

let root: Root | undefined;

afterEach(() => act(async () => root?.unmount()));

test("the number of a line is never cut, however long it is", () => {
  wear("features/problems/problems.module.css", css);
  document.body.innerHTML = `<button class="${css.row}"><span class="${css.where}">line 10000</span></button>`;
  const where = document.querySelector(`.${css.where}`) as HTMLElement;
  expect(getComputedStyle(where).overflow).not.toBe("hidden");
  expect(getComputedStyle(where.parentElement as HTMLElement).gridTemplateColumns).toBe(
    "18px auto minmax(0, 1fr)",
  );
  document.head.replaceChildren();
  document.body.replaceChildren();
});

test("a problem of the repository itself names its folder, has its rule, and leads to no line", async () => {
  const diagnostics = [
    { code: "STRAY", message: "Belongs to a tool, not to a model", severity: Diagnostic_Severity.ERROR },
  ];
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(
    create(ListProblemsResponseSchema, { files: [{ path: ".git", diagnostics }] }),
  );
  queryClient.clear();
  root = createRoot(document.body.appendChild(document.createElement("div")));
  const on = root;
  await act(async () =>
    on.render(
      <QueryClientProvider client={queryClient}>
        <ProblemsView />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(document.querySelector("section")).not.toBeNull());
  const group = document.querySelector("section") as HTMLElement;
  expect(group.getAttribute("aria-label")).toBe("Problems of .git");
  expect(group.textContent).toBe("Repository.gitErrorBelongs to a tool, not to a modelSTRAY");
  expect([...group.querySelectorAll("button")].map((one) => one.textContent)).toEqual(["STRAY"]);
});
