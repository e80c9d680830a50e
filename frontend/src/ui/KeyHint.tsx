import css from "./KeyHint.module.css";

/** The key that does the same, drawn as a key. */
export function KeyHint({ keys }: { keys: string }) {
  return <kbd className={css.key}>{keys}</kbd>;
}
