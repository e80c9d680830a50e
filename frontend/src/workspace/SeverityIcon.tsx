import { Diagnostic_Severity } from "../api/conch_pb";

const looks: Record<Diagnostic_Severity, { color: string; word: string }> = {
  [Diagnostic_Severity.UNSPECIFIED]: { color: "var(--text-3)", word: "Note" },
  [Diagnostic_Severity.ERROR]: { color: "var(--err)", word: "Error" },
  [Diagnostic_Severity.WARNING]: { color: "var(--warn)", word: "Warning" },
  [Diagnostic_Severity.ADVICE]: { color: "var(--accent)", word: "Advice" },
};

/** How grave a problem is, by shape and word: triangle, ring with a dot, bulb-like circle. A label replaces the word. */
export function SeverityIcon({ severity, label }: { severity: Diagnostic_Severity; label?: string }) {
  const { color, word } = looks[severity];
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 16 16"
      role="img"
      aria-label={label ?? word}
      style={{ color, flex: "none" }}
    >
      <title>{label ?? word}</title>
      {severity === Diagnostic_Severity.ERROR && <path d="M8 2.3 14.6 13.6H1.4z" fill="currentColor" />}
      {severity === Diagnostic_Severity.WARNING && (
        <path
          d="M8 3.3 13.7 13H2.3z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.7"
          strokeLinejoin="round"
        />
      )}
      {severity !== Diagnostic_Severity.ERROR && severity !== Diagnostic_Severity.WARNING && (
        <circle cx="8" cy="8" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.7" />
      )}
    </svg>
  );
}
