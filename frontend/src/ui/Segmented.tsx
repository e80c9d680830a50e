import { ToggleGroup } from "radix-ui";
import type { ReactNode } from "react";
import css from "./Segmented.module.css";

export interface Segment<T extends string> {
  value: T;
  label: ReactNode;
  disabled?: boolean;
  title?: string;
}

export interface SegmentedProps<T extends string> {
  /** What is being chosen, for screen readers. */
  label: string;
  value: T;
  options: readonly Segment<T>[];
  onChange: (value: T) => void;
}

/** One of a few, side by side; arrow keys move between them (a radio group to screen readers). */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      className={css.group}
      aria-label={label}
      value={value}
      // An empty value means that the chosen one was pressed again; one is always chosen.
      onValueChange={(next) => next !== "" && onChange(next as T)}
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          disabled={option.disabled}
          title={option.title}
          className={css.item}
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
