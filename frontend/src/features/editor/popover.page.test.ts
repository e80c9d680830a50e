import { create } from "@bufbuild/protobuf";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, test } from "vitest";
import { Diagnostic_Severity, DiagnosticSchema } from "../../api/conch_pb";
import { type Finding, findingsField, setFindings } from "./findings";
import { popover, showFinding } from "./popover";
import "../../testing/page";

const finding = (message: string): Finding => ({
  from: 6,
  to: 8,
  diagnostic: create(DiagnosticSchema, { severity: Diagnostic_Severity.ERROR, message, code: "I03" }),
});

test("an explanation follows what is found, and goes when nothing is found there", () => {
  const view = new EditorView({
    state: EditorState.create({ doc: "dims: 63", extensions: [findingsField, popover(() => undefined)] }),
    parent: document.body.appendChild(document.createElement("div")),
  });
  const find = (...list: Finding[]) => view.dispatch({ effects: setFindings.of({ list, hints: [] }) });
  const shown = () => view.dom.querySelector("[aria-label=Problem]")?.textContent;
  const first = finding("the dims are empty");
  find(first);
  view.dispatch({ effects: showFinding.of(first) });
  expect(shown()).toContain("the dims are empty");
  find(finding("63 elements here, 64 in the model file"));
  expect(shown()).toContain("63 elements here");
  expect(shown()).not.toContain("the dims are empty");
  find();
  expect(shown()).toBeUndefined();
  view.destroy();
});
