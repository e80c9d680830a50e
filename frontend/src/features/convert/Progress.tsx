import { useState } from "react";
import { duration } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Waiting } from "../../ui/Spinner";
import { useElapsed } from "../../ui/useElapsed";
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

/** Most steps are over before anyone has read how long they take. */
const worthAWord = 1000;

/** How far it is, and from its second second on for how long: the longest step, which measures, has no parts to count. */
export function Progress({ of, onCancel }: Props) {
  const [since] = useState(Date.now);
  const elapsed = useElapsed(since) ?? 0;
  const words = [
    of.of > 0 ? `${asSentence(of.step)} (${of.done} of ${of.of})` : asSentence(of.step),
    elapsed >= worthAWord && duration(elapsed),
  ];
  return (
    <section className={css.progress} aria-label="Progress">
      <p className={css.step}>
        <Waiting>{words.filter(Boolean).join(" · ")}</Waiting>
        <Button small onClick={onCancel}>
          Cancel
        </Button>
      </p>
      <Log lines={of.log} />
    </section>
  );
}
