import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { EngineSchema, ModelSummarySchema } from "../api/conch_pb";
import { ErrorBox } from "./ErrorBox";
import { useWorkspace } from "./workspace";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

const shown = (error: string, names: readonly string[] = []) => {
  const host = document.createElement("div");
  act(() => createRoot(host).render(<ErrorBox title="No" error={error} names={names} />));
  return host.querySelector("[role=alert]")?.textContent?.replace(/^No/, "");
};

it("begins with a capital, but for the name of a model or of what it is about", () => {
  useWorkspace.setState({ models: new Map([["sums", create(ModelSummarySchema, { name: "sums" })]]) });
  expect(shown("the disk is full")).toBe("The disk is full");
  expect(shown("sums has no version 3")).toBe("sums has no version 3");
  expect(shown("notes is a folder", ["notes"])).toBe("notes is a folder");
  act(() => useWorkspace.setState({ engine: create(EngineSchema, { remote: { name: "one" } }) }));
  expect(shown("one ended the connection")).toBe("one ended the connection");
  act(() => useWorkspace.setState({ engine: undefined }));
});

it("keeps the lines of a program's message, and how far they are indented", () => {
  expect(shown("bad value:\n    first\n        second")).toBe("Bad value:\n    first\n        second");
  const css = read("./ErrorBox.module.css");
  expect(/\.message \{[^}]*white-space: ([a-z-]+)/.exec(css)?.[1]).toBe("pre-wrap");
});

it("watches its size with one observer for all renders: a new one in answer to a new size is a loop", () => {
  const made = vi.spyOn(ResizeObserver.prototype, "observe");
  const root = createRoot(document.createElement("div"));
  for (const error of ["the disk is full", "the disk is still full"])
    act(() => root.render(<ErrorBox title="No" error={error} short />));
  expect(made).toHaveBeenCalledTimes(1);
  act(() => root.unmount());
});
