/**
 * Every key of the window, once: what the list of keys shows is what is bound. The notation is that of the editor's
 * library; "Mod" is Ctrl, and the command key on a Mac.
 */
export interface Key {
  press: string;
  does: string;
}

const everywhere = {
  keys: { press: "F1", does: "List of keys" },
  palette: { press: "Mod-k", does: "Go to a model, a problem, a request, or run a command" },
  sidebar: { press: "Mod-b", does: "Show or hide the sidebar" },
  back: { press: "Alt-ArrowLeft", does: "Go back" },
  forward: { press: "Alt-ArrowRight", does: "Go forward" },
  rename: { press: "F2", does: "Rename the model, or the name at the cursor in the config" },
};

const config = {
  save: { press: "Mod-s", does: "Save" },
  fix: { press: "Mod-.", does: "Repair the problem at the cursor" },
  nextProblem: { press: "F8", does: "Next problem" },
  previousProblem: { press: "Shift-F8", does: "Previous problem" },
  format: { press: "Shift-Alt-f", does: "Format" },
  definition: { press: "F12", does: "Go to the definition of a name" },
  uses: { press: "Shift-F12", does: "Uses of a name" },
  outline: { press: "Mod-Shift-o", does: "Outline" },
  search: { press: "Mod-f", does: "Search and replace" },
};

const request = { send: { press: "Mod-Enter", does: "Send the request" } };

export const keys = { ...everywhere, ...config, ...request } satisfies Record<string, Key>;

/** All keys in the groups in which they are listed. */
export const keyGroups: readonly { name: string; keys: readonly Key[] }[] = [
  { name: "Everywhere", keys: Object.values(everywhere) },
  { name: "Config", keys: Object.values(config) },
  { name: "Request", keys: Object.values(request) },
];

const words: Record<string, string> = { Mod: "Ctrl", ArrowLeft: "←", ArrowRight: "→", Enter: "⏎" };

/** A key as people read it: "Mod-Shift-o" is "Ctrl Shift O". */
export const readable = ({ press }: Key): string =>
  press
    .split("-")
    .map((part) => words[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(" ");

/** Whether an event is this key with exactly these modifiers. */
export function isPress(event: KeyboardEvent, { press }: Key): boolean {
  const parts = press.split("-");
  const key = parts.pop() ?? "";
  const has = (modifier: string) => parts.includes(modifier);
  return (
    event.key.toLowerCase() === key.toLowerCase() &&
    (event.ctrlKey || event.metaKey) === has("Mod") &&
    event.altKey === has("Alt") &&
    event.shiftKey === has("Shift")
  );
}
