import css from "./Spinner.module.css";

/** A turning arc that stays invisible for the first 300 ms: most waits are shorter. */
export function Spinner({ label }: { label: string }) {
  return (
    <svg className={css.spinner} viewBox="0 0 16 16" role="img" aria-label={label}>
      <title>{label}</title>
      <circle cx="8" cy="8" r="5.5" strokeDasharray="20 20" />
    </svg>
  );
}

/** The arc with words beside it: for a wait that can take so long that people ask what is being done. */
export function Waiting({ children }: { readonly children: string }) {
  return (
    <span className={css.waiting}>
      <span className={css.arc} aria-hidden="true">
        <Spinner label={children} />
      </span>
      <span className={css.words}>{children}</span>
    </span>
  );
}
