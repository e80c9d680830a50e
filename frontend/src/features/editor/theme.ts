import { EditorView } from "@codemirror/view";

/**
 * A wave of gradients: WebKitGTK draws wavy text decorations as a straight line, and an image could not take
 * its colour from the tokens.
 */
const squiggle = (color: string) => ({
  backgroundImage: [
    `linear-gradient(45deg, transparent 65%, ${color} 80%, transparent 90%)`,
    `linear-gradient(135deg, transparent 5%, ${color} 15%, transparent 25%)`,
    `linear-gradient(135deg, transparent 45%, ${color} 55%, transparent 65%)`,
    `linear-gradient(45deg, transparent 25%, ${color} 35%, transparent 50%)`,
  ].join(", "),
  backgroundRepeat: "repeat-x",
  backgroundSize: "8px 3px",
  backgroundPosition: "left bottom",
  paddingBottom: "2px",
});

const dotted = (color: string) => ({
  textDecorationLine: "underline",
  textDecorationStyle: "dotted",
  textDecorationColor: color,
  textUnderlineOffset: "4px",
});

/** The editor in the tokens of the window; both themes come from the custom properties. */
export const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    fontSize: "12.5px",
    lineHeight: "21px",
    fontVariantLigatures: "none",
  },
  ".cm-content": { padding: "8px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 14px 0 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "1.5px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 24%, transparent)",
  },
  ".cm-gutters": { backgroundColor: "var(--surface)", border: "0", color: "var(--text-3)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "46px", padding: "0 14px 0 0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--surface-2) 70%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--surface-3)",
    outline: "1px solid var(--border-strong)",
  },
  ".cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--err-weak)" },
  ".cm-specialChar": { color: "var(--err)" },
  ".cm-conch-leaving": {
    position: "absolute",
    right: "12px",
    bottom: "8px",
    zIndex: "2",
    padding: "2px 8px",
    border: "1px solid var(--border)",
    borderRadius: "6px",
    backgroundColor: "var(--surface)",
    color: "var(--text-2)",
    font: "12px / 18px var(--ui)",
    pointerEvents: "none",
  },
  ".cm-conch-error": squiggle("var(--err)"),
  ".cm-conch-warning": squiggle("var(--p95)"),
  ".cm-conch-advice": dotted("var(--accent)"),
  ".cm-conch-hint": {
    color: "var(--text-3)",
    backgroundColor: "var(--surface-2)",
    borderRadius: "4px",
    padding: "0 6px",
    font: "11.5px/16px var(--ui)",
    fontFeatureSettings: '"tnum"',
    marginLeft: "10px",
    whiteSpace: "nowrap",
    userSelect: "none",
  },
  // In the blank space that the line numbers leave.
  ".cm-foldGutter": { width: "12px", marginLeft: "-13px", marginRight: "1px" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer", textAlign: "center" },
  ".cm-conch-fold": { color: "transparent", font: "13px/21px var(--ui)" },
  ".cm-gutters:hover .cm-conch-fold, .cm-conch-fold[title=Unfold]": { color: "var(--text-3)" },
  ".cm-foldPlaceholder": {
    border: "0",
    borderRadius: "4px",
    padding: "0 6px",
    margin: "0 2px",
    backgroundColor: "var(--surface-3)",
    color: "var(--text-2)",
  },
  ".cm-conch-filled": { backgroundColor: "color-mix(in srgb, var(--accent-weak) 55%, transparent)" },
  ".cm-tooltip": {
    border: "1px solid var(--border-strong)",
    borderRadius: "8px",
    backgroundColor: "var(--surface)",
    boxShadow: "var(--shadow)",
    color: "var(--text)",
    zIndex: "30",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    fontSize: "12px",
    maxHeight: "240px",
    minWidth: "240px",
    padding: "4px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    gap: "12px",
    lineHeight: "24px",
    padding: "0 8px",
    borderRadius: "5px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-weak)",
    color: "var(--text)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)", fontWeight: "600" },
  ".cm-completionDetail": { marginLeft: "auto", fontStyle: "normal", color: "var(--text-3)" },
  ".cm-tooltip.cm-completionInfo": {
    padding: "8px 12px",
    maxWidth: "320px",
    font: "12.5px/19px var(--ui)",
    color: "var(--text-2)",
    whiteSpace: "pre-line",
  },
  // A dialog lies over them, also over the bar that is searched in.
  ".cm-panels": {
    zIndex: "1",
    backgroundColor: "var(--surface)",
    color: "var(--text)",
    borderColor: "var(--border)",
  },
  ".cm-panels.cm-panels-top": { borderBottom: "0" },
  ".cm-dialog": { padding: "6px 8px", font: "13px/20px var(--ui)", borderBottom: "1px solid var(--border)" },
  ".cm-dialog label": { fontSize: "13px" },
  ".cm-dialog-close": {
    right: "8px",
    top: "6px",
    width: "24px",
    height: "24px",
    borderRadius: "var(--r)",
    fontSize: "16px",
    color: "var(--text-2)",
  },
  ".cm-textfield": {
    height: "var(--control)",
    border: "1px solid var(--border)",
    borderRadius: "var(--r)",
    backgroundColor: "var(--surface)",
    color: "var(--text)",
    padding: "0 9px",
    margin: "0 6px",
    font: "12px/20px var(--mono)",
  },
  ".cm-button": {
    height: "var(--control-s)",
    border: "1px solid var(--border-strong)",
    borderRadius: "var(--r)",
    background: "var(--surface)",
    color: "var(--text)",
    padding: "0 8px",
    font: "500 12px/20px var(--ui)",
  },
  ".cm-searchMatch": { backgroundColor: "var(--warn-weak)", outline: "1px solid var(--p95)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--p95) 45%, transparent)" },
});
