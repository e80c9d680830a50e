import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  AnalyzeResponseSchema,
  DiagnosticSchema,
  DraftsSchema,
  FileProblemsSchema,
} from "../../api/conch_pb";
import { usePlace } from "../../window/place";
import { takeUp, useToasts } from "../../window/toasts";
import { fixUnsavedWith, repair } from "../../workspace/repair";
import { useWorkspace } from "../../workspace/workspace";
import { app, disk, file, keep, startApp } from "./fakeApp";
import { sessionOf } from "./sessions";
import { fixUnsaved } from "./unsavedFix";

const title = "Read right instead of rihgt";
const found = (from: number) =>
  create(DiagnosticSchema, {
    message: "no such tensor",
    fixes: [{ title, edits: [{ from, to: from + 5, insert: "right" }] }],
  });

beforeEach(() => {
  startApp();
  fixUnsavedWith(fixUnsaved);
  vi.spyOn(clients.editor, "writeFiles");
  vi.mocked(clients.editor.analyze).mockImplementation(async ({ text = "", number, edit }) =>
    create(AnalyzeResponseSchema, {
      number,
      diagnostics: text.includes("rihgt") ? [found(text.indexOf("rihgt"))] : [],
      ...(edit && keep(text, edit, number)),
    }),
  );
});

const listed = () => create(FileProblemsSchema, { ...file, diagnostics: [found(0)] });
const fixIt = () => repair(listed(), found(0), found(0).fixes[0] as never);

test("a fix goes into the unsaved text, is kept there, and can be undone; the disk stays as it is", async () => {
  keep("# mine\nreads: rihgt\n", { baseText: disk.text, baseVersion: disk.text });
  const list = [{ ...file, version: app.version }];
  useWorkspace.setState({ drafts: create(DraftsSchema, { list }) });
  const undo = await fixIt();
  const session = sessionOf(file);
  expect(session.text()).toBe("# mine\nreads: right\n");
  expect(session.store.getState().edited).toBe(true);
  await vi.waitFor(() => expect(app.draft?.text).toBe("# mine\nreads: right\n"));
  expect(clients.editor.writeFiles).not.toHaveBeenCalled();
  expect(disk.text).toBe('name: "digits"\n');
  expect(useToasts.getState().past.at(0)?.text).toMatch(/read right instead of rihgt, not saved yet$/);
  undo?.();
  expect(session.text()).toBe("# mine\nreads: rihgt\n");
  // A fix that no longer fits is refused, and changes nothing.
  session.replace("# mine, and sound\n");
  await fixIt();
  expect(session.text()).toBe("# mine, and sound\n");
  expect(useToasts.getState().past.at(0)?.level).toBe("error");
});

test("an undo that comes too late changes nothing, and says why", async () => {
  keep("reads: rihgt\n", { baseText: disk.text, baseVersion: disk.text });
  useWorkspace.setState({ drafts: create(DraftsSchema, { list: [{ ...file, version: app.version }] }) });
  await fixIt();
  const session = sessionOf(file);
  session.replace("reads: right\n# and more\n");
  const fixed = useToasts.getState().past.find(({ action }) => action?.label === "Undo");
  if (fixed) takeUp(fixed);
  const said = () =>
    useToasts.getState().past.find(({ text }) => text === "The change was not undone")?.detail;
  await vi.waitFor(() => expect(said()).toContain(`${file.model}/config.pbtxt has been edited since`));
  expect(session.text()).toBe("reads: right\n# and more\n");
});

test("a fix that a person has to finish is not saved, and the place to go on at is shown", async () => {
  const insert = 'step [ { model_name: "TO_NAME" } ]\n';
  const unfinished = create(DiagnosticSchema, {
    message: "the ensemble has no step",
    fixes: [{ title: "write a first step", edits: [{ from: 0, to: 0, insert }], unfinished: "TO_NAME" }],
  });
  vi.mocked(clients.editor.analyze).mockImplementation(async ({ text = "", number, edit }) =>
    create(AnalyzeResponseSchema, {
      number,
      diagnostics: text.includes("step") ? [] : [unfinished],
      ...(edit && keep(text, edit, number)),
    }),
  );
  const undo = await repair(listed(), unfinished, unfinished.fixes[0] as never);
  const session = sessionOf(file);
  expect(session.text()).toBe(insert + disk.text);
  expect(clients.editor.writeFiles).not.toHaveBeenCalled();
  const { model, modelTab, reveal } = usePlace.getState();
  expect([model, modelTab, reveal?.path]).toEqual([file.model, "config", file.path]);
  expect(session.text().slice(reveal?.from, reveal?.to)).toBe("TO_NAME");
  undo?.();
  expect(session.text()).toBe(disk.text);
});
