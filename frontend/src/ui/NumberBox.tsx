/** A small field for a whole number in a range. What is typed counts once it is in the range; leaving puts it right. */
import { useState } from "react";
import css from "./NumberBox.module.css";

export interface NumberBoxProps {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}

export function NumberBox({ label, value, min, max, onChange }: NumberBoxProps) {
  const [typed, setTyped] = useState<string>();
  const take = (text: string) => {
    setTyped(text);
    const next = Number(text);
    if (text.trim() !== "" && Number.isInteger(next) && next >= min && next <= max) onChange(next);
  };
  return (
    <input
      className={css.box}
      inputMode="numeric"
      aria-label={label}
      size={Math.max(2, String(max).length)}
      value={typed ?? String(value)}
      onChange={(event) => take(event.target.value)}
      onBlur={() => setTyped(undefined)}
      onKeyDown={(event) => {
        const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        setTyped(undefined);
        onChange(Math.min(max, Math.max(min, value + step)));
      }}
    />
  );
}
