import { create } from "@bufbuild/protobuf";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { type Diagnostic, DiagnosticSchema } from "../../api/conch_pb";
import { ProblemRow } from "./ProblemRow";
import { card } from "./popover";

/** A problem with one fix. */
const problem = (safe: boolean): Diagnostic =>
  create(DiagnosticSchema, {
    code: "TXT-COLON",
    message: "the colon is missing",
    fixes: [{ title: "Insert the colon", edits: [{ from: 1, to: 1, insert: ":" }], safe }],
  });

test.each([
  [true, "Fix"],
  [false, "Suggestion"],
])("in the list of problems, a fix that is safe (%s) is called %s", async (safe, word) => {
  const root = createRoot(document.body.appendChild(document.createElement("ul")));
  const [fix] = problem(safe).fixes;
  const row = fix && { title: fix.title, safe: fix.safe, run: vi.fn() };
  await act(async () =>
    root.render(
      <ProblemRow
        diagnostic={problem(safe)}
        model="m"
        path="config.pbtxt"
        also={[]}
        onOpen={vi.fn()}
        fix={row}
      />,
    ),
  );
  expect(document.querySelector(`[aria-label='${word}: Insert the colon']`)?.textContent).toBe(word);
  await act(async () => root.unmount());
});

test.each([true, false])("the card in the text marks a suggestion; the fix is safe: %s", (safe) => {
  const view = new EditorView({ state: EditorState.create({ doc: "a 1" }) });
  const shown = card(view, { from: 0, to: 1, diagnostic: problem(safe) }, vi.fn());
  expect(shown.textContent?.includes("Suggestion")).toBe(!safe);
  view.destroy();
});
