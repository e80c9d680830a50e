import {
  HighlightStyle,
  indentService,
  StreamLanguage,
  type StreamParser,
  syntaxHighlighting,
} from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";

interface State {
  /** A colon was read; what comes next is a value. */
  value: boolean;
  /** Depth of lists inside a value, where words are values too. */
  list: number;
}

/** Reads one token and says what it is; enough for colours, the meaning comes from the app. */
export const pbtxtParser: StreamParser<State> = {
  name: "pbtxt",
  startState: () => ({ value: false, list: 0 }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/)) return settle(state, "string");
    if (stream.match(/^[-+]?(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[fF]?/))
      return settle(state, "number");
    if (stream.match(/^[A-Za-z_]\w*/)) {
      const isValue = (state.value || state.list > 0) && !stream.match(/^\s*:/, false);
      return isValue ? settle(state, "atom") : "propertyName";
    }
    return punctuation(stream.next() ?? "", state);
  },
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"', "'"] } },
};

function settle(state: State, kind: string): string {
  state.value = false;
  return kind;
}

function punctuation(char: string, state: State): null {
  if (char === ":") state.value = true;
  else if (char === "[" && state.value) state.list++;
  else if (char === "]") state.list = Math.max(0, state.list - 1);
  else if (char === "{" || char === "<") {
    state.value = false;
    state.list = 0;
  }
  if (char === "[") state.value = false;
  return null;
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--syn-field)" },
  { tag: tags.atom, color: "var(--syn-enum)" },
  { tag: tags.string, color: "var(--syn-str)" },
  { tag: tags.number, color: "var(--syn-num)" },
  { tag: tags.comment, color: "var(--syn-com)" },
]);

const count = (text: string, pattern: RegExp) => (text.replace(/#.*/, "").match(pattern) ?? []).length;

/** Two columns for each bracket that is open; a line that closes one steps back. */
const indentation = indentService.of((context, pos) => {
  const line = context.lineAt(pos, 1);
  if (line.from === 0) return 0;
  // What is before a line that is about to be broken is the line above the new one.
  const real = context.state.doc.lineAt(context.simulatedBreak === line.from ? line.from : line.from - 1);
  const before = real.text.slice(0, line.from - real.from);
  const base = context.countColumn(before, before.search(/\S|$/));
  const opens = count(before, /[[{<]/g);
  const closes = count(before.replace(/^\s*[\]}>]/, ""), /[\]}>]/g);
  const step = opens > closes ? context.unit : opens < closes ? -context.unit : 0;
  const back = /^\s*[\]}>]/.test(line.text) ? context.unit : 0;
  return Math.max(0, base + step - back);
});

/** Colours and indentation of config.pbtxt. */
export function pbtxt(): Extension {
  return [StreamLanguage.define(pbtxtParser), syntaxHighlighting(colours), indentation];
}
