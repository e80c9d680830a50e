/** A small field for a number. Text that is none stays in the field, says what is wrong, and is never sent as something else. */
import { useEffect, useState } from "react";
import { type Rule, readNumber, type Unfinished } from "../../requests/numbers";
import css from "./inputs.module.css";

type Props = {
  readonly rule: Rule;
  readonly label?: string; // for screen readers: the rule's name when nothing else is said
  readonly value: number;
  readonly unfinished: Unfinished | undefined;
  readonly onChange: (value: number) => void;
  readonly onUnfinished: (unfinished: Unfinished) => void;
  readonly hideLabel?: boolean;
  readonly className?: string;
  readonly width?: string;
};

export function NumberField(props: Props) {
  const { rule, label = rule.name, value, unfinished, hideLabel, className, width } = props;
  const [own, setOwn] = useState(() => shortest(value));
  useEffect(
    () => setOwn((now) => (now.trim() !== "" && Number(now) === value ? now : shortest(value))),
    [value],
  );
  const take = (text: string) => {
    setOwn(text);
    const read = readNumber(rule, text);
    if ("value" in read) props.onChange(read.value);
    else props.onUnfinished({ text, problem: read.problem });
  };
  return (
    <label className={className ?? css.field}>
      <span className={hideLabel ? "visually-hidden" : undefined}>{label}</span>
      <input
        inputMode={rule.whole ? "numeric" : "decimal"}
        autoComplete="off"
        aria-invalid={unfinished !== undefined}
        title={unfinished?.problem}
        style={width ? { width } : undefined}
        value={unfinished?.text ?? own}
        onChange={(event) => take(event.target.value)}
      />
    </label>
  );
}

const shortest = (value: number) => String(Number(value.toPrecision(7)));
