/** Values typed as JSON; text needs no quotes. */
import { useMemo } from "react";
import { count } from "../../lib/format";
import { elementCount } from "../../lib/tensor";
import { isLong, longReading } from "../../requests/longTexts";
import { looksLikeJson, type Reading, readingOf, readTyped, saidOfText } from "../../requests/texts";
import {
  accepts,
  exampleValues,
  filledBy,
  type InputDraft,
  type Slot,
  withBatch,
} from "../../requests/tryDrafts";
import type { InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { useLatest } from "./useLatest";

type Props = InputProps & { readonly compact: boolean; readonly about: string };

export function ValuesInput({ slot, draft, compact, about, onChange }: Props) {
  const text = draft.values ?? exampleValues(slot, draft);
  const columns = compact ? 16 : 50; // characters in a line at the pane's usual width
  return (
    <textarea
      className={css.area}
      data-compact={compact}
      aria-describedby={about}
      aria-label={`Values of ${slot.spec.name}`}
      spellCheck={false}
      autoComplete="off"
      rows={Math.min(12, linesOf(text, columns))}
      placeholder={
        slot.spec.datatype === "BYTES" ? "An empty string" : wantedPhrase(elementCount(draft.shape))
      }
      value={text}
      onChange={({ target: { value } }) => onChange(typedPatch(slot, draft, value))}
    />
  );
}

const wantedPhrase = (values: number) =>
  values === 1 ? "1 value" : `${count(values, "value")}, as a list: [1, 2, …]`;

const mostFollowed = 20_000; // characters; the shape does not follow a longer text

/** What was typed, and the open dimensions that it fills. */
function typedPatch(slot: Slot, draft: InputDraft, values: string): Partial<InputDraft> {
  const reading = looksLikeJson(values) ? draft.reading : undefined;
  const patch = { values, reading };
  if (values.length > mostFollowed) return patch;
  try {
    const typed = readTyped(slot.spec.datatype, values, reading).shape;
    const shape = withBatch(slot, typed);
    if (accepts(slot.spec, shape)) return { ...patch, shape };
    return typed.length === 1 ? { ...patch, shape: filledBy(slot, draft.shape, typed[0] ?? 0) } : patch;
  } catch {
    return patch;
  }
}

/** Lines that the text takes when long ones wrap; a long text is not counted to its end. */
function linesOf(text: string, columns: number): number {
  const lines = text.slice(0, 2000).split("\n");
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
}

/** How a text of BYTES is read, where that is a question; it can be read the other way. */
export function ReadingLine({ slot, draft, onChange }: InputProps) {
  const { values } = draft;
  const reading = useReading(draft);
  if (slot.spec.datatype !== "BYTES" || draft.source !== "values" || values === undefined) return null;
  if (!reading || (values !== "" && !looksLikeJson(values))) return null;
  return (
    <div className={css.verdict}>
      <p className={css.hint}>{isLong(values) ? saidBriefly[reading] : saidOfText(values, reading)}</p>
      {values !== "" && (
        <button
          type="button"
          className={css.link}
          onClick={() => onChange({ reading: reading === "json" ? "text" : "json" })}
        >
          {reading === "json" ? "Send as plain text" : "Read as JSON"}
        </button>
      )}
    </div>
  );
}

const saidBriefly: Record<Reading, string> = {
  json: "Read as JSON: a list of strings",
  text: "Read as plain text: one string",
};

/** The reading in force; that of a long text is known later. */
function useReading({ values = "", reading }: InputDraft): Reading | undefined {
  const unknown = reading === undefined && isLong(values) && looksLikeJson(values);
  const ask = useMemo(() => (unknown ? () => longReading(values) : undefined), [unknown, values]);
  const later = useLatest(ask);
  return unknown ? later?.value : readingOf(values, reading);
}
