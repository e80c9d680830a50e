import { create } from "@bufbuild/protobuf";
import { expect, vi } from "vitest";
import { clients } from "../../api/client";
import {
  AnalyzeResponseSchema,
  DiscardDraftsResponseSchema,
  type Draft,
  DraftSchema,
  FormatResponseSchema,
  ReadFileResponseSchema,
  SaveFileResponseSchema,
} from "../../api/conch_pb";
import { createSession } from "./session";

// What the tests of the editor talk to in place of the app.

/** Each test has a model of its own: a page of the test before may still ask, and gets no answer. */
export const file = { model: "", path: "config.pbtxt" };
let pages = 0;
const noAnswer = new Promise<never>(() => {});

/** A disk of one file, behind the app's own messages; versions are the texts themselves. */
export const disk = { text: "", exists: true, readOnly: false, note: "" };

/** What the app keeps of the file, and in which run of it. */
export const app: {
  draft?: Draft;
  rival?: Draft;
  version: bigint;
  run: string;
  by: { writer: string; number: bigint };
  /** The newest draft that was discarded or saved. */
  ended: bigint;
  /** Who wrote it. */
  endedBy: string;
} = {
  ended: 0n,
  endedBy: "",
  version: 0n,
  run: "1",
  by: { writer: "", number: 0n },
};

/** The unsaved files that the app keeps beside it, by path. */
export const beside = new Map<string, Draft>();

interface Kept {
  since?: bigint;
  baseText?: string;
  baseVersion?: string;
  writer?: string;
}

/** Keeps a text as the app does: of one writer the last edit stays, another one has to know what is there. */
export function keep(text: string, edit: Kept, number = 0n) {
  const { since = 0n, baseText = "", baseVersion = "", writer = "" } = edit;
  const own = writer !== "" && writer === app.by.writer;
  if (own && number < app.by.number) return { version: app.draft?.version ?? 0n };
  if (app.draft && app.draft.version > since && app.draft.text !== text && !own) return { newer: app.draft };
  const endedOwn = since === 0n && writer !== "" && writer === app.endedBy;
  if (!app.draft && ((since !== 0n && since <= app.ended) || endedOwn) && !own) return { gone: true };
  app.by = { writer, number };
  if (text === baseText) app.draft = undefined;
  else if (app.draft?.text !== text)
    app.draft = create(DraftSchema, { ...file, text, baseText, baseVersion, version: ++app.version });
  return { version: app.draft?.version ?? 0n };
}

function keepBeside(path: string, text: string) {
  const draft = create(DraftSchema, { ...file, path, text, version: ++app.version });
  beside.set(path, draft);
  return { version: draft.version };
}

/** Another window discards the draft, or saves it. */
export function end(saved?: string): void {
  if (saved !== undefined) disk.text = saved;
  const endedBy = app.by.writer;
  Object.assign(app, { draft: undefined, ended: app.version, endedBy, by: { writer: "", number: 0n } });
}

/** Answers the editor of a new test as the app does. */
export function startApp(): void {
  file.model = `digits_${++pages}`;
  restartApp();
}

/** Answers the editor of this test, without what the app kept before. */
export function restartApp(): void {
  vi.restoreAllMocks();
  const mine = file.model;
  beside.clear();
  Object.assign(disk, { text: 'name: "digits"\n', exists: true, readOnly: false, note: "" });
  Object.assign(app, {
    draft: undefined,
    rival: undefined,
    version: 0n,
    run: "1",
    by: { writer: "", number: 0n },
    ended: 0n,
    endedBy: "",
  });
  vi.spyOn(clients.editor, "readFile").mockImplementation(async ({ model, path = "" }) =>
    model !== mine
      ? noAnswer
      : beside.has(path)
        ? create(ReadFileResponseSchema, { draft: beside.get(path) })
        : found(),
  );
  vi.spyOn(clients.editor, "discardDrafts").mockImplementation(async ({ versions = [] }) => {
    for (const [path, { version }] of beside) if (versions.includes(version)) beside.delete(path);
    return create(DiscardDraftsResponseSchema);
  });
  vi.spyOn(clients.editor, "analyze").mockImplementation(
    async ({ model, path = "", number, text = "", edit }) =>
      model !== mine
        ? noAnswer
        : create(AnalyzeResponseSchema, {
            number,
            diagnostics: [{ message: "wrong", from: 0, to: 4, line: 1 }],
            ...(edit && (path === file.path ? keep(text, edit, number) : keepBeside(path, text))),
          }),
  );
  vi.spyOn(clients.editor, "format").mockImplementation(async ({ text }) =>
    create(FormatResponseSchema, { text: text?.replaceAll("  ", " ") }),
  );
  vi.spyOn(clients.editor, "saveFile").mockImplementation(async ({ model, text = "", baseVersion }) => {
    if (model !== mine) return noAnswer;
    if (baseVersion !== disk.text) {
      return create(SaveFileResponseSchema, {
        conflict: true,
        diskText: disk.text,
        diskVersion: disk.text,
      });
    }
    disk.text = text;
    if (app.draft?.text === text) app.draft = undefined;
    return create(SaveFileResponseSchema, { version: text });
  });
}

export const found = () =>
  create(ReadFileResponseSchema, {
    ...disk,
    version: disk.text,
    draft: app.draft,
    rival: app.rival,
    run: app.run,
    repository: "/a",
  });

export async function open() {
  const session = createSession(file);
  await vi.waitFor(() => expect(session.store.getState().status).not.toBe("reading"));
  return session;
}

/** Opens it in a page and types at the end, as a person does. */
export async function openAndType(typed: string) {
  const session = await open();
  const host = document.createElement("div");
  document.body.append(host);
  const unmount = session.mount(host);
  const { EditorView } = await import("@codemirror/view");
  const view = EditorView.findFromDOM(host);
  view?.dispatch({ changes: { from: view.state.doc.length, insert: typed } });
  return { session, unmount, view };
}
