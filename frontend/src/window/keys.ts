/**
 * Every key of the window, once: what the list of keys shows is what is bound. The notation is that of the editor's
 * library; "Mod" is Ctrl, and the command key on a Mac.
 */
export interface Key {
  press: string;
  /** On a Mac, where it is another one. */
  mac?: string;
  /** Other keys of the same action, such as the other arrows; they are listed with it. */
  also?: readonly string[];
  /** What else the same key gives on some keyboards; it is not listed. */
  same?: readonly string[];
  does: string;
}

const everywhere = {
  keys: { press: "F1", does: "List of keys" },
  palette: { press: "Mod-k", does: "Go to anything, or run a command" },
  sidebar: { press: "Mod-b", does: "Show or hide the sidebar" },
  search: { press: "Mod-f", does: "Search in the config or the graph that is shown" },
  back: { press: "Alt-ArrowLeft", mac: "Ctrl--", does: "Go back" },
  forward: { press: "Alt-ArrowRight", mac: "Ctrl-Shift--", same: ["Ctrl-Shift-_"], does: "Go forward" },
  rename: {
    press: "F2",
    does: "Rename the model, the file of the row, or the name at the cursor in the config",
  },
  larger: { press: "Mod-+", same: ["Mod-="], does: "Make everything larger" },
  smaller: { press: "Mod--", same: ["Mod-_"], does: "Make everything smaller" },
  normalSize: { press: "Mod-0", does: "Show everything in its normal size" },
} satisfies Record<string, Key>;

const config = {
  save: { press: "Mod-s", does: "Save" },
  fix: { press: "Mod-.", does: "Repair the problem at the cursor" },
  nextProblem: { press: "F8", does: "Next problem" },
  previousProblem: { press: "Shift-F8", does: "Previous problem" },
  complete: { press: "Ctrl-Space", does: "Complete what is typed" },
  format: { press: "Shift-Alt-f", does: "Format" },
  definition: { press: "F12", does: "Go to the definition of a name" },
  uses: { press: "Shift-F12", does: "Uses of a name" },
  outline: { press: "Mod-Shift-o", does: "Outline" },
  leave: { press: "Escape Tab", does: "Leave the editor; Tab alone indents" },
} satisfies Record<string, Key>;

const text = {
  undo: { press: "Mod-z", does: "Undo" },
  redo: { press: "Mod-Shift-z", does: "Redo" },
  comment: { press: "Mod-/", does: "Turn lines into comments, or back" },
  moveLine: { press: "Alt-ArrowUp", also: ["Alt-ArrowDown"], does: "Move lines" },
  copyLine: { press: "Shift-Alt-ArrowUp", also: ["Shift-Alt-ArrowDown"], does: "Copy lines" },
  deleteLine: { press: "Mod-Shift-k", does: "Delete lines" },
  indent: { press: "Mod-]", does: "Indent lines" },
  unindent: { press: "Mod-[", does: "Remove indentation" },
  selectLine: { press: "Alt-l", mac: "Ctrl-l", does: "Select lines" },
  bracket: { press: "Mod-Shift-\\", does: "Go to the matching bracket" },
  cursors: { press: "Mod-Alt-ArrowUp", also: ["Mod-Alt-ArrowDown"], does: "Add a cursor" },
  nextOccurrence: { press: "Mod-d", does: "Select the next occurrence of the selection" },
  allOccurrences: { press: "Mod-Shift-l", does: "Select all occurrences of the selection" },
  nextMatch: { press: "F3", does: "Next match of the search" },
  previousMatch: { press: "Shift-F3", does: "Previous match of the search" },
  line: { press: "Mod-Alt-g", does: "Go to a line" },
  fold: { press: "Ctrl-Shift-[", mac: "Mod-Alt-[", does: "Fold" },
  unfold: { press: "Ctrl-Shift-]", mac: "Mod-Alt-]", does: "Unfold" },
} satisfies Record<string, Key>;

const request = { send: { press: "Mod-Enter", does: "Send the request" } } satisfies Record<string, Key>;

const drawing = {
  pen: { press: "ArrowLeft", also: ["ArrowRight", "ArrowUp", "ArrowDown"], does: "Move the pen" },
  ink: { press: "Space", does: "Put the pen down, or lift it" },
  erase: { press: "Delete", also: ["Backspace"], does: "Clear the drawing" },
} satisfies Record<string, Key>;

const lists = {
  row: { press: "ArrowUp", also: ["ArrowDown"], does: "Go from row to row" },
  remove: {
    press: "Delete",
    mac: "Mod-Backspace",
    does: "Delete the file or the model of the row, after a question",
  },
} satisfies Record<string, Key>;

const graph = {
  walk: { press: "ArrowLeft", also: ["ArrowRight", "ArrowUp", "ArrowDown"], does: "Go along the edges" },
  detail: { press: "Enter", does: "Open the detail" },
  fit: { press: "0", does: "Show all of the graph" },
  natural: { press: "1", does: "Show the graph at 100 %" },
} satisfies Record<string, Key>;

const chart = {
  earlier: { press: "ArrowLeft", does: "Move the crosshair back" },
  later: { press: "ArrowRight", does: "Move the crosshair forward" },
  zoomIn: { press: "+", same: ["="], does: "Show less time" },
  zoomOut: { press: "-", also: ["Escape"], does: "Show what was shown before" },
} satisfies Record<string, Key>;

export const keys = { ...everywhere, ...config, ...text, ...request };
export const drawingKeys = drawing;
export const listKeys = lists;
export const graphKeys = graph;
export const chartKeys = chart;

/** Keys of the editor that are bound with its library's own ones. */
export const textKeys = { ...config, ...text };

export interface KeyGroup {
  name: string;
  keys: readonly Key[];
}

/** All keys in the groups in which they are listed. */
export const keyGroups: readonly KeyGroup[] = [
  { name: "Everywhere", keys: Object.values(everywhere) },
  { name: "Config", keys: Object.values(config) },
  { name: "Text of the config", keys: Object.values(text) },
  { name: "Lists of models and files", keys: Object.values(lists) },
  { name: "Request", keys: Object.values(request) },
  { name: "Drawing", keys: Object.values(drawing) },
  { name: "Graph", keys: Object.values(graph) },
  { name: "Charts", keys: Object.values(chart) },
];

/** Whether this is a Mac, whose keys have other names and partly other places. */
export const isMac = /mac/i.test(navigator.platform);

const signs: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Enter: "⏎",
  Escape: "Esc",
  "-": "−",
};
const macSigns: Record<string, string> = { Mod: "⌘", Ctrl: "⌃", Alt: "⌥", Shift: "⇧", Backspace: "⌫" };
/** The order in which a Mac writes them. */
const macOrder = ["Ctrl", "Alt", "Shift", "Mod"];

/** The modifiers of a key, and the key itself; the last "-" of "Mod--" is a key. */
const partsOf = (press: string): string[] => press.split(/-(?!$)/);

function readOne(press: string, mac: boolean): string {
  const parts = partsOf(press);
  const key = parts.pop() ?? "";
  const modifiers = mac ? macOrder.filter((modifier) => parts.includes(modifier)) : parts;
  const word = (part: string) =>
    (mac ? macSigns[part] : part === "Mod" ? "Ctrl" : undefined) ??
    signs[part] ??
    (part.length === 1 ? part.toUpperCase() : part);
  return [...modifiers, key].map(word).join(mac ? "" : " ");
}

/** A key as people read it: "Mod-Shift-o" is "Ctrl Shift O", on a Mac "⇧⌘O". */
export function readable(key: Key, mac = isMac): string {
  const strokes = (press: string) =>
    press
      .split(" ")
      .map((stroke) => readOne(stroke, mac))
      .join(", then ");
  const first = (mac ? key.mac : undefined) ?? key.press;
  return [first, ...(key.also ?? [])].map(strokes).join(" or ");
}

/** What a button's tooltip says: what it does, and the key that does the same. */
export const withKey = (words: string, key: Key): string => `${words} (${readable(key)})`;

/** Whether an event is this key with exactly these modifiers. */
export function isPress(event: PressLike, key: Key, mac = isMac): boolean {
  const first = (mac ? key.mac : undefined) ?? key.press;
  return [first, ...(key.also ?? []), ...(key.same ?? [])].some((press) => isStroke(event, press, mac));
}

/** What a keyboard event of the page and one of the library that draws it have in common. */
export type PressLike = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

function isStroke(event: PressLike, press: string, mac: boolean): boolean {
  const parts = partsOf(press);
  const key = parts.pop() ?? "";
  const has = (modifier: string) => parts.includes(modifier);
  const typed = event.key === " " ? "Space" : event.key;
  // Where a sign is on a keyboard differs, and some need Shift: the sign alone counts, unless Shift is asked for.
  const sign = typed.length === 1 && typed.toLowerCase() === typed.toUpperCase();
  return (
    typed.toLowerCase() === key.toLowerCase() &&
    event.ctrlKey === (has("Ctrl") || (has("Mod") && !mac)) &&
    event.metaKey === (has("Mod") && mac) &&
    event.altKey === has("Alt") &&
    (event.shiftKey === has("Shift") || (sign && !has("Shift")))
  );
}
