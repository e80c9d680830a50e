import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  openSearchPanel,
  search,
  selectNextOccurrence,
  selectSelectionMatches,
  setSearchQuery,
} from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { type EditorView, keymap, type Panel, type ViewUpdate } from "@codemirror/view";
import { createElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { keys } from "../../window/keys";
import { binding } from "./binding";
import { lineBar, openLine } from "./goToLine";
import { SearchPanel, shownIn } from "./SearchPanel";

/** Draws the panel again when the query, the text or what is selected changes. */
function createPanel(view: EditorView): Panel {
  const dom = document.createElement("div");
  const root = createRoot(dom);
  const draw = () => root.render(createElement(SearchPanel, shownIn(view, getSearchQuery(view.state))));
  draw();
  return {
    dom,
    top: true,
    update: (update: ViewUpdate) => {
      const asked = update.transactions.some(({ effects }) => effects.some((one) => one.is(setSearchQuery)));
      if (asked || update.docChanged || update.selectionSet) draw();
    },
    // A view may go away while React draws the page that held it.
    destroy: () => queueMicrotask(() => root.unmount()),
  };
}

const field = (view: EditorView) => view.dom.querySelector<HTMLInputElement>("[main-field]");

/** Opens the panel for what is selected, and puts the cursor into its field before the next key comes. */
export function openSearch(view: EditorView): boolean {
  const before = getSearchQuery(view.state);
  flushSync(() => {
    openSearchPanel(view);
    // The field has one line.
    if (getSearchQuery(view.state).search.includes("\n"))
      view.dispatch({ effects: setSearchQuery.of(before) });
  });
  field(view)?.focus();
  field(view)?.select();
  return true;
}

const inBoth = "editor search-panel";

/** Search and its keys. */
export const searching = (): Extension => [
  search({ top: true, literal: true, createPanel }),
  lineBar,
  keymap.of([
    { ...binding(keys.search), run: openSearch, scope: inBoth, preventDefault: true },
    { ...binding(keys.nextMatch), run: findNext, scope: inBoth, preventDefault: true },
    { ...binding(keys.previousMatch), run: findPrevious, scope: inBoth, preventDefault: true },
    { key: "Escape", run: closeSearchPanel, scope: inBoth },
    { ...binding(keys.nextOccurrence), run: selectNextOccurrence, preventDefault: true },
    { ...binding(keys.allOccurrences), run: selectSelectionMatches, preventDefault: true },
    { ...binding(keys.line), run: openLine, preventDefault: true },
  ]),
];
