/** A small field for a number; other text stays in the field and is not passed on. */
import { useEffect, useState } from "react";
import css from "./try.module.css";

type Props = {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly hideLabel?: boolean;
};

export function NumberField({ label, value, onChange, hideLabel }: Props) {
  const [text, setText] = useState(() => shortest(value));
  const number = text.trim() === "" ? Number.NaN : Number(text);
  useEffect(() => {
    setText((now) => (Number(now) === value && now.trim() !== "" ? now : shortest(value)));
  }, [value]);
  return (
    <label className={css.field}>
      <span className={hideLabel ? "visually-hidden" : undefined}>{label}</span>
      <input
        inputMode="decimal"
        aria-invalid={!Number.isFinite(number)}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          const next = Number(event.target.value);
          if (event.target.value.trim() !== "" && Number.isFinite(next)) onChange(next);
        }}
      />
    </label>
  );
}

const shortest = (value: number) => String(Number(value.toPrecision(7)));
