import { create } from "@bufbuild/protobuf";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { Diagnostic_Severity, DiagnosticSchema } from "../../api/conch_pb";
import { findingsField, setFindings } from "./findings";

const { ERROR, WARNING, ADVICE } = Diagnostic_Severity;

/** The squiggles under a text of ten letters: "error 2 5". */
function drawn(...list: [severity: Diagnostic_Severity, from: number, to: number][]): string[] {
  const state = EditorState.create({ doc: "abcdefghij", extensions: findingsField });
  const findings = list.map(([severity, from, to]) => ({
    from,
    to,
    diagnostic: create(DiagnosticSchema, { severity }),
  }));
  const { marks } = state
    .update({ effects: setFindings.of({ list: findings, hints: [] }) })
    .state.field(findingsField);
  const found: string[] = [];
  marks.between(0, 10, (from, to, { spec }) => {
    found.push(`${spec.class.replace("cm-conch-", "")} ${from} ${to}`);
  });
  return found;
}

test("an error and a warning of the same word draw the error alone, in both orders", () => {
  expect(drawn([WARNING, 2, 5], [ERROR, 2, 5])).toEqual(["error 2 5"]);
  expect(drawn([ERROR, 2, 5], [WARNING, 2, 5])).toEqual(["error 2 5"]);
});

test("around an error the warning of a longer text goes on, and an advice where neither is", () => {
  expect(drawn([WARNING, 1, 8], [ERROR, 3, 5], [ADVICE, 0, 10])).toEqual([
    "advice 0 1",
    "warning 1 3",
    "error 3 5",
    "warning 5 8",
    "advice 8 10",
  ]);
});

test("a warning inside a longer error is not drawn over it", () => {
  expect(drawn([ERROR, 1, 8], [WARNING, 3, 5])).toEqual(["error 1 8"]);
});
