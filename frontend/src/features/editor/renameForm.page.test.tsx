import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { PlanRenameResponseSchema } from "../../api/conch_pb";
import { wear } from "../../testing/styles";
import { enter } from "../../testing/typing";
import { useWorkspace } from "../../workspace/workspace";
import { RenameForm } from "./RenameForm";

/** The form over plans for a model's folder, or for a tensor; its field, its button and its text. */
async function show(folder: string) {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  useWorkspace.setState({ connection: "live" });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const files = [{ model: "a", path: "config.pbtxt", lines: [{ line: 1, before: "old", after: "new" }] }];
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <RenameForm
          old="old"
          about={[folder]}
          plan={async () => create(PlanRenameResponseSchema, { folder, files })}
          onClose={() => {}}
        />
      </QueryClientProvider>,
    ),
  );
  const field = page.querySelector("input") as HTMLInputElement;
  const type = (text: string) =>
    act(async () => {
      enter(field, text);
      await new Promise((done) => setTimeout(done)); // the plan comes
    });
  const button = () => page.querySelector("button[type=submit]") as HTMLButtonElement;
  const end = async () => {
    await act(async () => root.unmount());
    page.remove();
  };
  return { page, field, type, button, end };
}

test("a model takes no name that New model refuses, and says which clients reach one", async () => {
  const { page, field, type, button, end } = await show("old");
  await type("zif fern");
  await vi.waitFor(() => expect(page.textContent).toContain("A name has no spaces"));
  expect([button().disabled, button().textContent]).toEqual([true, "Rename"]);
  expect(page.querySelector("[role=status]")?.className).toContain("problem"); // which is red
  expect(field.getAttribute("aria-invalid")).toBe("true");
  await type("数字_digits");
  await vi.waitFor(() => expect(page.textContent).toContain("Only gRPC clients reach this name"));
  await vi.waitFor(() => expect(button().disabled).toBe(false));
  await act(async () => page.querySelector<HTMLElement>("[role=note] button")?.click());
  expect(field.value).toBe("digits");
  await vi.waitFor(() => expect(page.textContent).not.toContain("Only gRPC clients"));
  await end();
});

test("the name of a tensor is part of no URL", async () => {
  const { page, type, button, end } = await show("");
  await type("zif fern");
  await vi.waitFor(() => expect(button().disabled).toBe(false));
  expect(page.textContent).not.toContain("A name has no spaces");
  await end();
});

test("the preview is as high as its lines where the dialog has room", () => {
  wear("features/editor/names.module.css", { preview: "its-preview" });
  const preview = document.body.appendChild(document.createElement("div"));
  preview.className = "its-preview";
  const { height, minHeight, maxHeight } = getComputedStyle(preview);
  expect([["", "auto"].includes(height), minHeight, maxHeight.includes("84vh")]).toEqual([
    true,
    "260px",
    true,
  ]);
});
