/** What only the desktop window can do. Wails binds it; a browser has none of it. */
interface Native {
  PickFolder: () => Promise<string>;
  /** Shows the page in so many percent of its normal size. */
  SetZoom: (percent: number) => Promise<void>;
}

/** The desktop window's own functions; undefined in a browser. */
export const native = (): Native | undefined =>
  (window as { go?: { desktop?: { Native?: Native } } }).go?.desktop?.Native;
