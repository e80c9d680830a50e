import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import css from "./Tabs.module.css";

export interface Tab<T extends string> {
  value: T;
  label: ReactNode;
  content: ReactNode;
}

export interface TabsProps<T extends string> {
  label: string;
  value: T;
  tabs: readonly Tab<T>[];
  onChange: (value: T) => void;
  /** What belongs to the page that is shown, at the end of the row. */
  aside?: ReactNode;
}

/** A row of tabs and the panel of the chosen one, which fills the rest of the column. */
export function Tabs<T extends string>({ label, value, tabs, onChange, aside }: TabsProps<T>) {
  return (
    <Radix.Root className={css.root} value={value} onValueChange={(next) => onChange(next as T)}>
      <div className={css.line}>
        <Radix.List className={css.list} aria-label={label}>
          {tabs.map((tab) => (
            <Radix.Trigger key={tab.value} className={css.tab} value={tab.value}>
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {aside}
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} className={css.panel} value={tab.value} tabIndex={-1}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
