import { indentUnit, syntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, it, vi } from "vitest";
import { setup } from "./setup";

const hands = {
  save: () => undefined,
  format: () => undefined,
  definition: () => undefined,
  uses: () => undefined,
  rename: () => undefined,
  outline: () => undefined,
  dismiss: () => false,
};

const open = (path: string, doc: string) =>
  new EditorView({
    state: EditorState.create({
      doc,
      extensions: setup({
        file: { model: "m", path },
        lineBreak: "\n",
        readOnly: false,
        hands,
        listener: [],
      }),
    }),
  });

it("reads a program as Python, which is loaded with the first one", async () => {
  const view = open("1/model.py", "def execute(self):\n    return 1\n");
  expect(syntaxTree(view.state).topNode.firstChild).toBeNull();
  await vi.waitFor(() => expect(syntaxTree(view.state).topNode.firstChild?.name).toBe("FunctionDefinition"));
  expect(view.state.facet(indentUnit)).toBe("    ");
  const second = open("1/helper.py", "import os\n");
  expect(syntaxTree(second.state).topNode.firstChild?.name).toBe("ImportStatement");
});

it("reads neither a config nor another text as Python", () => {
  expect(open("config.pbtxt", "max_batch_size: 8\n").state.facet(indentUnit)).toBe("  ");
  expect(syntaxTree(open("labels.txt", "import os\n").state).topNode.firstChild).toBeNull();
});
