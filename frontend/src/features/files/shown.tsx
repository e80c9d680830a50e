/** The tab Files of a model "mine" over a program that answers with what a test gives it. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, vi } from "vitest";
import { clients } from "../../api/client";
import {
  GetModelResponseSchema,
  ListProblemsResponseSchema,
  type ModelFileSchema,
  RepositorySchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useWorkspace } from "../../workspace/workspace";
import { FilesView } from "./FilesView";

/** Shows the files. Resolves with what takes the page away. */
export async function showFiles(
  files: MessageInitShape<typeof ModelFileSchema>[],
): Promise<() => Promise<void>> {
  const repository = create(RepositorySchema, { id: "r", roots: ["/r"] });
  useWorkspace.setState({ connection: "live", repository });
  vi.spyOn(clients.workspace, "listProblems").mockResolvedValue(create(ListProblemsResponseSchema));
  vi.spyOn(clients.models, "getModel").mockResolvedValue(
    create(GetModelResponseSchema, { summary: { name: "mine" }, files }),
  );
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <FilesView model="mine" />
      </QueryClientProvider>,
    ),
  );
  await vi.waitFor(() => expect(document.body.textContent).toContain(files[0]?.path));
  return async () => {
    await act(async () => root.unmount());
    document.body.replaceChildren();
    queryClient.clear();
    vi.restoreAllMocks();
  };
}

/** A button by its words. */
export const button = (name: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name);

/** The first field of the dialog. */
export const field = () => document.querySelector<HTMLInputElement>("[role=dialog] input");
