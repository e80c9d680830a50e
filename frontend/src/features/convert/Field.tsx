import { type ReactNode, useId } from "react";
import { TextField } from "../../ui/TextField";
import css from "./convert.module.css";

interface Props {
  readonly label: ReactNode;
  /** What the field is called. */
  readonly name: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly problem?: string | undefined;
  readonly onChange: (text: string) => void;
}

/** A field with its label above it and what is wrong with it below. */
export function Field({ label, name, value, placeholder, problem, onChange }: Props) {
  const id = useId();
  return (
    <div className={css.wideField}>
      <span>{label}</span>
      <TextField
        aria-label={name}
        placeholder={placeholder}
        value={value}
        invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : id}
        onChange={({ target }) => onChange(target.value)}
      />
      {problem !== undefined && (
        <p id={id} className={css.bad}>
          {problem}
        </p>
      )}
    </div>
  );
}
