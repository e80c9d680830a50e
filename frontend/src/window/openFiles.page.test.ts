import { create } from "@bufbuild/protobuf";
import { act, createElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { GetPlaceResponseSchema, KeepPlaceResponseSchema } from "../api/conch_pb";
import { followKept, loadKept } from "./kept";
import { checkReopened, openFile, useOpenFile } from "./openFiles";

let root: Root;
const page = document.body.appendChild(document.createElement("div"));

const Shown = ({ model }: { model: string }) => createElement("i", {}, useOpenFile(model, "config.pbtxt"));

beforeEach(async () => {
  root = createRoot(page);
  await act(async () => root.render(["a", "b"].map((model) => createElement(Shown, { key: model, model }))));
});

afterEach(async () => {
  await act(async () => root.unmount());
  vi.restoreAllMocks();
});

const shown = () => [...page.querySelectorAll("i")].map(({ textContent }) => textContent);

/** Opens a repository with the files that were open in it. */
const load = (of: string, files: [string, string][]) =>
  act(async () => {
    const place = JSON.stringify({ page: "#/models/a/try", files });
    vi.spyOn(clients.workspace, "getPlace").mockResolvedValue(
      create(GetPlaceResponseSchema, { roots: [of], place }),
    );
    await loadKept(() => [of]);
  });

test("the files that were open are shown again, beside one that was opened before they were known", async () => {
  await act(async () => openFile("b", "2/model.py"));
  await load("/first", [
    ["a", "1/model.py"],
    ["b", "1/model.py"],
  ]);
  expect(shown()).toEqual(["1/model.py", "2/model.py"]);
  await load("/second", [["b", "labels.txt"]]);
  expect(shown()).toEqual(["config.pbtxt", "labels.txt"]); // those of the other repository are no longer
});

test("which file is open is kept with the place", async () => {
  const keep = vi.spyOn(clients.workspace, "keepPlace").mockResolvedValue(create(KeepPlaceResponseSchema));
  await load("/third", []);
  const leave = followKept(() => ["/third"]);
  await act(async () => openFile("a", "1/model.py"));
  window.dispatchEvent(new Event("pagehide"));
  expect(JSON.parse(keep.mock.lastCall?.[0].place ?? "").files).toEqual([["a", "1/model.py"]]);
  leave();
});

test("a file that is gone since is not shown again; one that goes later stays open", async () => {
  const come = () => load(`/${Math.random()}`, [["a", "1/model.py"]]);
  await come();
  await act(async () => checkReopened("a", (path) => path !== "1/model.py"));
  expect(shown()[0]).toBe("config.pbtxt");
  await come();
  await act(async () => checkReopened("a", () => true));
  await act(async () => checkReopened("a", () => false));
  expect(shown()[0]).toBe("1/model.py");
});
