import { create } from "@bufbuild/protobuf";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, expect, test } from "vitest";
import { GetModelResponseSchema, ModelState, ModelSummarySchema, RepositorySchema } from "../../api/conch_pb";
import { StateIcon } from "../../workspace/StateIcon";
import { useWorkspace } from "../../workspace/workspace";
import { NotLoaded } from "./NotLoaded";

let root: Root;

afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  useWorkspace.setState({ repository: undefined });
});

const { UNTRUSTED, UNLOADED } = ModelState;
const program = create(ModelSummarySchema, { name: "program", state: UNTRUSTED });

async function shown(model: typeof program): Promise<HTMLElement> {
  const page = document.body.appendChild(document.createElement("div"));
  useWorkspace.setState({ models: new Map([program, model].map((one) => [one.name, one])) });
  const details = create(GetModelResponseSchema, { summary: model });
  root = createRoot(page);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <StateIcon state={model.state} />
        <NotLoaded details={details} />
      </QueryClientProvider>,
    ),
  );
  return page;
}

test("a model that waits for trust says so, also to a screen reader, and offers trust instead of a load", async () => {
  const page = await shown(program);
  expect(page.querySelector("[role=img]")?.getAttribute("aria-label")).toMatch(/Waits for trust$/);
  expect(page.textContent).toContain("program waits for trust, so requests would be refused.");
  const buttons = [...page.querySelectorAll("button")].map(({ textContent }) => textContent);
  expect(buttons).toEqual(["Trust this repository"]);
});

test("an ensemble names its model that waits for trust", async () => {
  const page = await shown(create(ModelSummarySchema, { name: "chain", state: UNLOADED, uses: ["program"] }));
  expect(page.textContent).toContain("chain cannot serve: its model program waits for trust.");
});

test("while the banner asks for trust, it alone offers it", async () => {
  const access = { code: [{ model: "program", path: "model.py" }] };
  useWorkspace.setState({ repository: create(RepositorySchema, { access }) });
  const page = await shown(program);
  expect(page.textContent).toContain("program waits for trust");
  expect(page.querySelector("button")).toBeNull();
});
