/** The way to an input of the form, from anywhere in the pane. */
export const inputId = (name: string) => `input ${name}`;

/** Brings an input into sight, with the focus on what gives its value. */
export function showInput(name: string): void {
  const card = document.getElementById(inputId(name));
  card?.scrollIntoView?.({ block: "nearest" });
  const fields = card?.querySelectorAll<HTMLElement>(
    "textarea, input:not([type=checkbox]):not([type=file]), button",
  );
  const field = [...(fields ?? [])].find((one) => one.matches("textarea")) ?? fields?.[fields.length - 1];
  field?.focus({ preventScroll: true });
}
