import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { enter } from "../../testing/typing";
import { type Key, textKeys } from "../../window/keys";
import { binding } from "./binding";
import { editing, inOrder } from "./extensions";
import { file } from "./fakeApp";
import { openSearch, searching } from "./search";
import { setup } from "./setup";

let view: EditorView;
const DOC = 'dims: [ 64 ]\nDims: 1\nname: "dims"';

const make = (more: Extension = []) =>
  new EditorView({
    parent: document.body,
    state: EditorState.create({ doc: DOC, extensions: [searching(), more] }),
  });

beforeEach(() => {
  view = make();
});
afterEach(async () => {
  await act(async () => view.destroy());
  document.body.replaceChildren();
});

const panel = () => document.querySelector("search");
const field = (label: string) =>
  document.querySelector<HTMLInputElement>(`search input[aria-label="${label}"]`);
const button = (name: string) =>
  [...document.querySelectorAll<HTMLButtonElement>("search button")].find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent) === name,
  );
const count = () => document.querySelector("search [role=status]")?.textContent;
const selected = () => {
  const { from, to } = view.state.selection.main;
  return [from, to];
};

const open = () => act(async () => void openSearch(view));
const press = (label: string, init: KeyboardEventInit) =>
  act(
    async () =>
      void field(label)?.dispatchEvent(
        new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }),
      ),
  );
const click = (name: string) => act(async () => button(name)?.click());
const type = (label: string, text: string) => act(async () => enter(field(label), text));

test("the panel takes the focus at once, so that the next key is in its field", () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", false);
  openSearch(view);
  expect(document.activeElement).toBe(field("Find"));
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
});

test("what is typed is found, counted and selected; Enter and Shift Enter go on and back", async () => {
  await open();
  await type("Find", "dims");
  expect(count()).toBe("1 of 3");
  expect(selected()).toEqual([0, 4]);
  // The next letter goes behind the last one.
  expect([field("Find")?.selectionStart, field("Find")?.selectionEnd]).toEqual([4, 4]);
  await press("Find", { key: "Enter" });
  expect([count(), selected()]).toEqual(["2 of 3", [13, 17]]);
  await press("Find", { key: "Enter", shiftKey: true });
  await press("Find", { key: "Enter", shiftKey: true });
  expect([count(), selected()]).toEqual(["3 of 3", [28, 32]]);
  await type("Find", "nothing");
  expect(count()).toBe("Not found");
});

test("case, whole words and expressions are toggles that say whether they are on", async () => {
  await open();
  await type("Find", "dim");
  expect(count()).toBe("1 of 3");
  await click("Match case");
  expect(button("Match case")?.getAttribute("aria-pressed")).toBe("true");
  expect(count()).toBe("1 of 2");
  await click("Whole words");
  expect(count()).toBe("Not found");
  await click("Whole words");
  await type("Find", "d.m");
  expect(count()).toBe("Not found");
  await click("Regular expression");
  expect(count()).toBe("1 of 2");
});

test("a bad expression is told at its field, and is no error of the page", async () => {
  await open();
  await click("Regular expression");
  await type("Find", "(");
  const input = field("Find");
  expect(input?.getAttribute("aria-invalid")).toBe("true");
  expect(document.getElementById(input?.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
    "This is no regular expression: Unterminated group",
  );
  expect(count()).toBe("");
});

test("one match or all are replaced, a backslash stays a backslash", async () => {
  await open();
  await type("Find", "dims");
  await type("Replace with", "a\\n");
  await press("Replace with", { key: "Enter" });
  expect(view.state.doc.line(1).text).toBe("a\\n: [ 64 ]");
  await click("Replace all");
  expect(view.state.doc.toString()).toBe('a\\n: [ 64 ]\na\\n: 1\nname: "a\\n"');
});

test("Escape closes the panel and the match stays selected in the text", async () => {
  await open();
  await type("Find", "NAME");
  await press("Find", { key: "Escape" });
  expect(panel()).toBeNull();
  expect(document.activeElement).toBe(view.contentDOM);
  expect(selected()).toEqual([21, 25]);
});

test("the search begins with what is selected in one line, and keeps the last one otherwise", async () => {
  view.dispatch({ selection: { anchor: 21, head: 25 } });
  await open();
  expect(field("Find")?.value).toBe("name");
  await act(async () => view.dispatch({ selection: { anchor: 0, head: 20 } }));
  view.focus();
  await open();
  expect(field("Find")?.value).toBe("name");
});

test("a text that is only read has nothing to replace", async () => {
  view.destroy();
  view = make(EditorState.readOnly.of(true));
  await open();
  expect(field("Find")).not.toBeNull();
  expect(field("Replace with")).toBeNull();
});

test("Escape and then Tab leave the text, also when Escape closed something", () => {
  view.destroy();
  view = make(editing([{ key: "Escape", run: () => true }]));
  view.focus();
  const tab = () => {
    const event = new KeyboardEvent("keydown", { key: "Tab", keyCode: 9, bubbles: true, cancelable: true });
    view.contentDOM.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(tab()).toBe(true);
  const pressed = new KeyboardEvent("keydown", {
    key: "Escape",
    keyCode: 27,
    bubbles: true,
    cancelable: true,
  });
  view.contentDOM.dispatchEvent(pressed);
  expect(tab()).toBe(false);
});

test("a text that Tab leads into says how it is left, to screen readers always", () => {
  view.destroy();
  view = make(editing([]));
  const said = "Tab indents. Esc, then Tab leaves the text.";
  expect(view.contentDOM.getAttribute("aria-description")).toBe(said);
  const note = view.dom.querySelector<HTMLElement>(".cm-conch-leaving");
  const key = (type: string, key: string) =>
    view.contentDOM.dispatchEvent(new KeyboardEvent(type, { key, bubbles: true, cancelable: true }));
  expect(note?.hidden).toBe(true); // the mouse may have led here
  key("keydown", "Tab");
  key("keyup", "Tab");
  expect(note?.hidden).toBe(true);
  key("keyup", "Tab"); // it went down elsewhere
  expect(note?.hidden).toBe(false);
  expect(note?.textContent).toBe(said);
  view.contentDOM.dispatchEvent(new FocusEvent("blur"));
  expect(note?.hidden).toBe(true);
});

test("every key that is listed for the config is bound in its editor", () => {
  const nothing = () => undefined;
  const hands = {
    save: nothing,
    format: nothing,
    definition: nothing,
    uses: nothing,
    rename: nothing,
    outline: nothing,
    dismiss: () => false,
  };
  const state = EditorState.create({
    extensions: setup({ file, lineBreak: "\n", readOnly: false, hands, listener: [] }),
  });
  const bound = new Set(
    state
      .facet(keymap)
      .flat()
      .map(({ key }) => inOrder(key)),
  );
  const missing = Object.values(textKeys).filter(
    ({ press, also = [] }: Key) =>
      press !== "Escape Tab" && [press, ...also].some((key) => !bound.has(inOrder(key))),
  );
  expect(missing.map(binding)).toEqual([]);
});
