/** A file that was dropped on the window, or in a folder that was. It has no address when it does not come this way. */
export interface DroppedFile {
  /** Its name; "folder/1/model.onnx" in a folder. */
  path: string;
  address: string;
}

/** What only the desktop window can do. Wails binds it; a browser has none of it. */
interface Native {
  /** The files of other programs that were just dropped on the window, which the web view keeps from the page. */
  Dropped: () => Promise<DroppedFile[] | null>;
  PickFolder: (title: string) => Promise<string>;
  /** Shows the page in so many percent of its normal size. */
  SetZoom: (percent: number) => Promise<void>;
  /** Stops the blinking of the web view's own caret, or lets it blink again. */
  RestCaret: (rests: boolean) => Promise<void>;
  /** Says which files have unsaved texts that this page alone has: the window asks before it closes then. */
  SetAlone: (files: string[]) => Promise<void>;
}

/** The desktop window's own functions; undefined in a browser. */
export const native = (): Native | undefined =>
  (window as { go?: { desktop?: { Native?: Native } } }).go?.desktop?.Native;
