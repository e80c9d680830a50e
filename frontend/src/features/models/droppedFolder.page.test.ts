import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { takeDrop, useNewModel } from "./newModel";

const drop = (...entries: object[]) =>
  takeDrop({
    files: [],
    items: entries.map((one) => ({ webkitGetAsEntry: () => one })),
  } as unknown as DataTransfer);

test("a folder and what is dropped with it are no one model, and nothing is sent", () => {
  const begin = vi.spyOn(clients.models, "beginUpload");
  drop({ name: "sums.onnx", isDirectory: false }, { name: "sums", isDirectory: true });
  expect(useNewModel.getState().taken).toMatchObject({
    names: ["sums.onnx", "sums/"],
    error: "A new model is one folder, or the files of one model. Drop one after the other.",
  });
  expect(begin).not.toHaveBeenCalled();
});
