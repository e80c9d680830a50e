import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  Access_Trust,
  ModelState,
  ModelSummarySchema,
  RepositorySchema,
  SetAccessResponseSchema,
} from "../api/conch_pb";
import { useWorkspace } from "../workspace/workspace";
import { RepositoryHeader } from "./RepositoryHeader";

const code = [{ model: "mine", field: "backend", path: "model.py" }];

test.each([
  [Access_Trust.NOT_TRUSTED, ModelState.UNTRUSTED, true],
  [Access_Trust.UNSPECIFIED, ModelState.UNTRUSTED, false], // the banner asks
  [Access_Trust.TRUSTED, ModelState.READY, false],
])("who has said no can still trust the repository: %s, %s", async (trust, state, offered) => {
  const setAccess = vi
    .spyOn(clients.workspace, "setAccess")
    .mockReset()
    .mockResolvedValue(create(SetAccessResponseSchema));
  useWorkspace.setState({
    repository: create(RepositorySchema, { name: "models", roots: ["/models"], access: { trust, code } }),
    models: new Map([["mine", create(ModelSummarySchema, { name: "mine", state })]]),
  });
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(<RepositoryHeader />));
  const button = page.querySelector("button");
  expect(button?.textContent).toBe(offered ? "Trust this repository" : undefined);
  await act(async () => button?.click());
  expect(setAccess.mock.calls).toEqual(
    offered ? [[{ roots: ["/models"], trust: Access_Trust.TRUSTED }]] : [],
  );
  await act(async () => root.unmount());
});
