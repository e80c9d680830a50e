import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { drawSelection, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { native } from "../../window/native";

const BLINK_MS = 600;
/** A cursor that nobody moves stops blinking, as in other programs of the desktop: each picture costs processor time. */
const BLINKS_FOR_MS = 10_000;

let rests = false;

/** The window's own caret is hidden in the editor, but blinks there. It rests with the one that is drawn. */
function restNative(rest: boolean): void {
  if (rest === rests) return;
  rests = rest;
  void native()?.RestCaret(rest);
}

/**
 * Lets the cursor blink by a timer. The library does it by an animation, for which the web view draws sixty times a
 * second although only two of the pictures differ: 12 % of a core where no GPU draws.
 */
class Blink {
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly view: EditorView) {
    this.restart();
  }

  update({ focusChanged, selectionSet, docChanged }: ViewUpdate): void {
    if (focusChanged || selectionSet || docChanged) this.restart();
  }

  /** Shows the cursor, as at every key, and blinks while the editor has the focus. */
  private restart(): void {
    this.destroy();
    this.show(true);
    if (!this.view.hasFocus || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    let pictures = 0;
    this.timer = setInterval(() => {
      pictures++;
      const last = pictures * BLINK_MS >= BLINKS_FOR_MS;
      this.show(last || pictures % 2 === 0);
      if (!last) return;
      clearInterval(this.timer);
      restNative(true);
    }, BLINK_MS);
  }

  private show(shown: boolean): void {
    const layer = this.view.scrollDOM.querySelector<HTMLElement>(".cm-cursorLayer");
    if (layer) layer.style.visibility = shown ? "" : "hidden";
  }

  destroy(): void {
    clearInterval(this.timer);
    restNative(false);
  }
}

/** The selection and its cursors as the editor draws them, several at once. */
export const selection: Extension = [drawSelection({ cursorBlinkRate: 0 }), ViewPlugin.fromClass(Blink)];
