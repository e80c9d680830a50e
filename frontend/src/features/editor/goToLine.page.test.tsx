import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { act } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLine } from "./goToLine";
import { searching } from "./search";
import "../../testing/page";
import { enter } from "../../testing/typing";

let view: EditorView;
const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);

beforeEach(() => {
  view = new EditorView({
    parent: document.body,
    state: EditorState.create({ doc: lines.join("\n"), extensions: [searching()] }),
  });
});
afterEach(async () => {
  await act(async () => view.destroy());
  document.body.replaceChildren();
});

const field = () => document.querySelector<HTMLInputElement>("form input[aria-label='Line']");
async function go(text: string): Promise<void> {
  await act(async () => enter(field(), text));
  await act(async () => field()?.form?.requestSubmit());
}
const open = () => act(async () => void openLine(view));
const at = () => view.state.selection.main.head;

test("the bar takes the focus, goes to a line or a line and a column, and gives the focus back", async () => {
  await open();
  expect(document.activeElement).toBe(field());
  expect(field()?.value).toBe("1");
  await go("12");
  expect(at()).toBe(view.state.doc.line(12).from);
  expect(field()).toBeNull();
  expect(view.hasFocus).toBe(true);
  await open();
  await go(" 3 : 4 ");
  expect(at()).toBe(view.state.doc.line(3).from + 3);
});

test("a line that the text does not have, and a text that is not a number, are told under the field", async () => {
  await open();
  await go("99");
  expect(document.querySelector("[role=alert]")?.textContent).toBe("The text has the lines 1 to 20");
  await go("x");
  expect(document.querySelector("[role=alert]")?.textContent).toContain("Type the number of a line");
  expect(at()).toBe(0);
});

test("Escape closes the bar and leaves the cursor", async () => {
  await open();
  await act(async () => {
    field()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
  });
  expect(field()).toBeNull();
  expect(at()).toBe(0);
});
