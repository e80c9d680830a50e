import { create } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { Diagnostic_Severity, ListProblemsResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { ProblemsView } from "./ProblemsView";

vi.mock("../../api/client", () => ({ clients: { workspace: { listProblems: vi.fn() } } }));

let root: Root;

afterEach(() => act(async () => root.unmount()));

test("a problem of the repository itself names its folder, has its rule, and leads to no line", async () => {
  const diagnostics = [
    { code: "STRAY", message: "Belongs to a tool, not to a model", severity: Diagnostic_Severity.ERROR },
  ];
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(
    create(ListProblemsResponseSchema, { files: [{ path: ".git", diagnostics }] }),
  );
  queryClient.clear();
  root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
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
