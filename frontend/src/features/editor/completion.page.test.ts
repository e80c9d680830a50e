import { autocompletion, type CompletionContext, completionStatus } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { EditorView, runScopeHandlers } from "@codemirror/view";
import { afterEach, expect, test, vi } from "vitest";
import { applyItem, placeKeys } from "./completion";

const PLACE = ["$", "{}"].join("");

/** What the app offers for input_map in a line that begins with two blanks. */
const inputMap = `input_map {\n    key: "${PLACE}"\n    value: "${PLACE}"\n  }`;

Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList; // jsdom lays nothing out
let view: EditorView;
afterEach(() => view.destroy());

function applied(insert: string, doc = "  inp", extensions = [autocompletion({ override: [] }), placeKeys]) {
  view = new EditorView({ state: EditorState.create({ doc, extensions }), parent: document.body });
  applyItem({ insert, label: "" }, { tail: 0, lineBreak: "\n" })(view, { label: "" }, 2, doc.length);
}

const text = () => {
  const { head } = view.state.selection.main;
  return `${view.state.sliceDoc(0, head)}|${view.state.sliceDoc(head)}`;
};
const press = (key: string, shiftKey = false) =>
  runScopeHandlers(view, new KeyboardEvent("keydown", { key, shiftKey }), "editor");
const typed = (insert: string) => view.dispatch(view.state.replaceSelection(insert));

test("Tab goes from the key of a map to its value", () => {
  applied(inputMap);
  expect(text()).toBe('  input_map {\n    key: "|"\n    value: ""\n  }');
  typed("image");
  expect(press("Tab")).toBe(true);
  expect(text()).toBe('  input_map {\n    key: "image"\n    value: "|"\n  }');
});

test("Tab still goes to the value after the key was completed together with its quotes", () => {
  applied(inputMap);
  const at = view.state.selection.main.head;
  const name = '"image"';
  view.dispatch({
    changes: { from: at - 1, to: at + 1, insert: name },
    selection: { anchor: at - 1 + name.length },
  });
  expect(press("Tab")).toBe(true);
  expect(text()).toBe('  input_map {\n    key: "image"\n    value: "|"\n  }');
});

test("Tab takes the name that is offered for the key, and goes to the value", async () => {
  const source = ({ pos }: CompletionContext) => ({
    from: pos - 1,
    options: [{ label: '"image"', apply: applyItem({ insert: '"image"', label: "" }, tail) }],
  });
  const tail = { tail: 1, lineBreak: "\n" } as const;
  applied(inputMap, "  inp", [autocompletion({ override: [source], interactionDelay: 0 }), placeKeys]);
  await vi.waitFor(() => expect(completionStatus(view.state)).toBe("active"));
  expect(press("Tab")).toBe(true);
  expect(text()).toBe('  input_map {\n    key: "image"\n    value: "|"\n  }');
});

test("Escape leaves the places, and Tab is Tab again", () => {
  applied(inputMap);
  expect(press("Escape")).toBe(true);
  expect(press("Tab")).toBe(false);
});

test("with one place, the cursor goes there", () => {
  applied(`dims: [ ${PLACE} ]`);
  expect(text()).toBe("  dims: [ | ]");
});
