import { Button } from "../../ui/Button";
import { Waiting } from "../../ui/Spinner";
import { asSentence } from "../../workspace/workspace";
import css from "./convert.module.css";
import type { Heard } from "./useEvents";

/** What the tools print, for those who want to see it. */
export function Log({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details className={css.log}>
      <summary>Log ({lines.length})</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit is scrolled with the keys */}
      <pre tabIndex={0}>{lines.join("\n")}</pre>
    </details>
  );
}

interface Props {
  readonly of: Heard;
  readonly onCancel: () => void;
}

/** How far it is. */
export function Progress({ of, onCancel }: Props) {
  const step = asSentence(of.step);
  return (
    <section className={css.progress} aria-label="Progress">
      <p className={css.step}>
        <Waiting>{of.of > 0 ? `${step} (${of.done} of ${of.of})` : step}</Waiting>
        <Button small onClick={onCancel}>
          Cancel
        </Button>
      </p>
      <Log lines={of.log} />
    </section>
  );
}
