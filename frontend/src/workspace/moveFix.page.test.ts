import { create } from "@bufbuild/protobuf";
import { expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { FixSchema, MoveFileResponseSchema, RepositorySchema } from "../api/conch_pb";
import { useToasts } from "../window/toasts";
import { makeFile, makesFile } from "./repair";
import { useWorkspace } from "./workspace";

test("a fix that moves a file moves it, and says where it is now", async () => {
  useWorkspace.setState({ repository: create(RepositorySchema, { id: "r" }) });
  const move = vi.spyOn(clients.editor, "moveFile").mockResolvedValue(create(MoveFileResponseSchema));
  const make = vi.spyOn(clients.editor, "createFolder");
  const fix = create(FixSchema, { title: "Move it", moved: { path: "model.onnx", to: "1/model.onnx" } });
  expect(makesFile(fix)).toBe(true);
  await makeFile("mine", fix);
  expect(move.mock.calls).toMatchObject([
    [{ model: "mine", path: "model.onnx", to: "1/model.onnx", repository: "r" }],
  ]);
  expect(make).not.toHaveBeenCalled();
  expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual([
    "mine/model.onnx is now 1/model.onnx",
  ]);
});
