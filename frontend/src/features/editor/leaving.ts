/** Tab indents in a text that can be changed. How a person who has no mouse leaves it is said where they meet it. */
import type { Extension } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";
import { keys, readable } from "../../window/keys";

/** How long after Escape Tab leaves the text. */
const LEAVES_MS = 2_000;

const words = () => `Tab indents. ${readable(keys.leave)} leaves the text.`;

/** Shown from the moment at which Tab leads into the text until it is left: those who came with the mouse need no such help. */
class Note {
  private readonly dom = document.createElement("div");

  constructor(private readonly view: EditorView) {
    this.dom.className = "cm-conch-leaving";
    this.dom.textContent = words();
    this.dom.hidden = true;
    this.dom.ariaHidden = "true"; // the text itself is described by these words
    view.dom.append(this.dom);
  }

  /** A key that was pressed elsewhere and is let go here has led here. */
  private inside = false;

  down(key: string) {
    this.inside = true;
    if (key === "Escape") this.view.setTabFocusMode(LEAVES_MS); // also when Escape closed something in the text
  }

  up(key: string) {
    if (key === "Tab" && !this.inside) this.dom.hidden = false;
    this.inside = false;
  }

  left() {
    this.inside = false;
    this.dom.hidden = true;
  }

  destroy() {
    this.dom.remove();
  }
}

const note = ViewPlugin.fromClass(Note, {
  eventObservers: {
    keydown({ key }) {
      this.down(key);
    },
    keyup({ key }) {
      this.up(key);
    },
    blur() {
      this.left();
    },
  },
});

/** Escape and then Tab leave the text. */
export const leaving = (): Extension => [
  note,
  EditorView.contentAttributes.of({ "aria-description": words() }),
];
