/** Values typed as JSON; text needs no quotes. */
import { count } from "../../lib/format";
import { elementCount } from "../../lib/tensor";
import { looksLikeJson, readingOf, readTyped, saidOfText } from "../../requests/texts";
import { accepts, exampleValues, type InputDraft, type Slot, withBatch } from "../../requests/tryDrafts";
import type { InputProps } from "./inputProps";
import css from "./inputs.module.css";

type Props = InputProps & { readonly compact: boolean; readonly about: string };

export function ValuesInput({ slot, draft, compact, about, onChange }: Props) {
  const text = draft.values ?? exampleValues(slot, draft);
  const columns = compact ? 24 : 50; // characters in a line at the pane's usual width
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
        slot.spec.datatype === "BYTES"
          ? "An empty string"
          : `${count(elementCount(draft.shape), "value")}, as a list: [1, 2, …]`
      }
      value={text}
      onChange={({ target: { value } }) => onChange(typedPatch(slot, draft, value))}
    />
  );
}

const mostFollowed = 20_000; // characters; the shape does not follow a longer text

/** What was typed, and the open dimensions that it fills. */
function typedPatch(slot: Slot, draft: InputDraft, values: string): Partial<InputDraft> {
  const reading = looksLikeJson(values) ? draft.reading : undefined;
  const patch = { values, reading };
  if (values.length > mostFollowed) return patch;
  try {
    const shape = withBatch(slot, readTyped(slot.spec.datatype, values, reading).shape);
    return accepts(slot.spec, shape) ? { ...patch, shape } : patch;
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
  const { values, reading } = draft;
  if (slot.spec.datatype !== "BYTES" || draft.source !== "values" || values === undefined) return null;
  if (values !== "" && !looksLikeJson(values)) return null;
  const now = readingOf(values, reading);
  return (
    <div className={css.verdict}>
      <p className={css.hint}>{saidOfText(values, reading)}</p>
      {values !== "" && (
        <button
          type="button"
          className={css.link}
          onClick={() => onChange({ reading: now === "json" ? "text" : "json" })}
        >
          {now === "json" ? "Send as plain text" : "Read as JSON"}
        </button>
      )}
    </div>
  );
}
